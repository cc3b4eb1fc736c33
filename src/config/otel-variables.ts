import type { Sampling } from '../operators/otlp/schema.ts'
import { isFieldValue, isToken } from '../protocols/http/field-syntax.ts'
import type { CheckedVariable, FormatCheck } from './format/format-check.ts'
import { otlpEndpointFormat } from './format/otlp-endpoint.ts'

/** How a signal is exported, from variables. */
export interface OtlpVariables {
  readonly endpoint?: string
  /** The endpoint has its path; otherwise that of the signal is added. */
  readonly isWholeUrl?: boolean
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly protocol?: 'grpc' | 'http'
  readonly timeoutMs?: number
}

/** Queue and batches of a signal, from variables. */
export interface BatchVariables {
  readonly maxQueueSize?: number
  readonly maxExportBatchSize?: number
  readonly scheduleDelayMs?: number
}

/** Settings from the variables of OpenTelemetry. */
export interface OtelVariables {
  readonly traces?: OtlpVariables
  readonly logs?: OtlpVariables
  readonly traceBatches?: BatchVariables
  readonly logBatches?: BatchVariables
  readonly randomSampling?: Sampling
  readonly clientSampling?: Sampling
  readonly isDisabled?: boolean
  readonly serviceName?: string
  readonly resourceAttributes?: readonly (readonly [name: string, value: string])[]
}

/**
 * The settings of the variables of OpenTelemetry; those of one signal override those of both.
 *
 * @param valid Returns the value of a variable that is set and valid.
 */
export const otelVariables = (valid: (variable: CheckedVariable) => string | undefined): OtelVariables => {
  let settings: OtelVariables = {}
  for (const variable of rows) {
    const value = valid(variable)
    if (value === undefined) continue
    const read = variable.read(value)
    settings = {
      ...settings,
      ...read,
      ...(read.traces && { traces: { ...settings.traces, ...read.traces } }),
      ...(read.logs && { logs: { ...settings.logs, ...read.logs } }),
      ...(read.traceBatches && { traceBatches: { ...settings.traceBatches, ...read.traceBatches } }),
      ...(read.logBatches && { logBatches: { ...settings.logBatches, ...read.logBatches } }),
    }
  }
  const sampler = valid({ name: 'OTEL_TRACES_SAMPLER', check: oneOf(Object.keys(samplers)) })
  const share = valid({ name: 'OTEL_TRACES_SAMPLER_ARG', check: samplerShare })
  return sampler === undefined
    ? settings
    : { ...settings, ...samplers[sampler.toLowerCase()]?.(Number(share ?? 1)) }
}

interface OtelVariable extends CheckedVariable {
  readonly read: (text: string) => OtelVariables
}

type Signal = 'traces' | 'logs'
const both = (settings: OtlpVariables): OtelVariables => ({ traces: settings, logs: settings })

const oneOf =
  (words: readonly string[]): FormatCheck =>
  (text) =>
    words.includes(text.toLowerCase()) ? undefined : { expectation: `must be one of ${words.join(', ')}` }

const wholeFrom =
  (least: number): FormatCheck =>
  (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= least
      ? undefined
      : { expectation: `must be a whole number from ${least} to 999999999` }

const protocol: FormatCheck = oneOf(['grpc', 'http', 'http/protobuf'])
const protocolOf = (text: string): 'grpc' | 'http' => (text.toLowerCase() === 'grpc' ? 'grpc' : 'http')

/** `k=v,k=v` with percent-encoding, as OpenTelemetry has it, or a JSON object of strings. Undefined if it is neither. */
const pairsIn = (text: string): (readonly [string, string])[] | undefined => {
  try {
    if (!text.startsWith('{')) {
      const members = text.split(',').filter((member) => member.trim() !== '')
      return members.map((member) => {
        const equals = member.indexOf('=')
        if (equals < 1) throw new TypeError('no key')
        return [member.slice(0, equals).trim(), decodeURIComponent(member.slice(equals + 1).trim())] as const
      })
    }
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
      ? entries
      : undefined
  } catch {
    return undefined
  }
}

const headers: FormatCheck = (text) => {
  const pairs = pairsIn(text)
  if (pairs?.every(([name, value]) => isToken(name) && isFieldValue(value))) return undefined
  return { expectation: 'must be headers as name=value, with commas between them, or a JSON object of texts' }
}
const headersOf = (text: string): OtlpVariables => ({
  headers: (pairsIn(text) ?? []).map(([name, value]) => [name.toLowerCase(), value]),
})

const attributes: FormatCheck = (text) =>
  pairsIn(text) ? undefined : { expectation: 'must be attributes as name=value, with commas between them' }

/** The variables of one kind for both signals and for each, from the weakest to the strongest. */
const perSignal = (
  suffix: string,
  check: FormatCheck,
  read: (text: string, isOfSignal: boolean) => OtlpVariables,
  isSecret = false,
): OtelVariable[] => [
  { name: `OTEL_EXPORTER_OTLP_${suffix}`, check, read: (text) => both(read(text, false)), isSecret },
  ...(['traces', 'logs'] as const).map((signal: Signal) => ({
    name: `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${suffix}`,
    check,
    read: (text: string) => ({ [signal]: read(text, true) }),
    isSecret,
  })),
]

const batches = (prefix: 'BSP' | 'BLRP', field: 'traceBatches' | 'logBatches'): OtelVariable[] => [
  {
    name: `OTEL_${prefix}_MAX_QUEUE_SIZE`,
    check: wholeFrom(1),
    read: (text) => ({ [field]: { maxQueueSize: Number(text) } }),
  },
  {
    name: `OTEL_${prefix}_MAX_EXPORT_BATCH_SIZE`,
    check: wholeFrom(1),
    read: (text) => ({ [field]: { maxExportBatchSize: Number(text) } }),
  },
  {
    name: `OTEL_${prefix}_SCHEDULE_DELAY`,
    check: wholeFrom(1),
    read: (text) => ({ [field]: { scheduleDelayMs: Number(text) } }),
  },
]

const samplers: Readonly<Record<string, (share: number) => OtelVariables>> = {
  always_on: () => ({ randomSampling: { share: 1 }, clientSampling: { share: 1 } }),
  always_off: () => ({ randomSampling: { share: 0 }, clientSampling: { share: 0 } }),
  traceidratio: (share) => ({ randomSampling: { share }, clientSampling: { share } }),
  parentbased_always_on: () => ({ randomSampling: { share: 1 }, clientSampling: 'parent' }),
  parentbased_always_off: () => ({ randomSampling: { share: 0 }, clientSampling: 'parent' }),
  parentbased_traceidratio: (share) => ({ randomSampling: { share }, clientSampling: 'parent' }),
}

const samplerShare: FormatCheck = (text) =>
  Number(text) >= 0 && Number(text) <= 1 ? undefined : { expectation: 'must be a share from 0 to 1' }

/** The variables, from the weakest to the strongest. */
const rows: readonly OtelVariable[] = [
  ...perSignal('ENDPOINT', otlpEndpointFormat, (endpoint, isWholeUrl) => ({ endpoint, isWholeUrl })),
  {
    name: 'OTLP_ENDPOINT',
    check: otlpEndpointFormat,
    read: (endpoint) => ({ traces: { endpoint, isWholeUrl: false } }),
  },
  ...perSignal('HEADERS', headers, headersOf, true),
  { name: 'OTLP_HEADERS', check: headers, read: (text) => ({ traces: headersOf(text) }), isSecret: true },
  ...perSignal('PROTOCOL', protocol, (text) => ({ protocol: protocolOf(text) })),
  { name: 'OTLP_PROTOCOL', check: protocol, read: (text) => ({ traces: { protocol: protocolOf(text) } }) },
  ...perSignal('TIMEOUT', wholeFrom(1), (text) => ({ timeoutMs: Number(text) })),
  ...batches('BSP', 'traceBatches'),
  ...batches('BLRP', 'logBatches'),
  {
    name: 'OTEL_SDK_DISABLED',
    check: oneOf(['true', 'false']),
    read: (text) => ({ isDisabled: text.toLowerCase() === 'true' }),
  },
  { name: 'OTEL_SERVICE_NAME', check: () => undefined, read: (serviceName) => ({ serviceName }) },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    check: attributes,
    read: (text) => ({ resourceAttributes: pairsIn(text) ?? [] }),
  },
]
