import type { ProcessSettings } from '../model/resources/process-settings.ts'
import { redacted, redactUrl } from '../model/trace/redact.ts'
import { knownBetas } from '../protocols/llm/providers/bedrock-betas.ts'
import type { ConfigProblem } from './errors.ts'
import { serverAddressFormat } from './format/address.ts'
import type { CheckedVariable, FormatCheck } from './format/format-check.ts'
import { durationFormat, parseDuration } from './format/duration.ts'
import type { Environment } from './document/interpolate.ts'
import { type XdsVariables, xdsVariables } from './xds-variables.ts'
import { type OtelVariables, otelVariables } from './otel-variables.ts'

/** Settings from environment variables; each overrides the same setting of a file. */
export interface ProcessVariables {
  readonly adminAddr?: string
  readonly statsAddr?: string
  readonly readinessAddr?: string
  readonly terminationDeadlineMs?: number
  readonly minTerminationDeadlineMs?: number
  /** From the termination grace period of a Kubernetes pod; a deadline in the file overrides it. */
  readonly gracePeriodMs?: number
  readonly ipv6Enabled?: boolean
  readonly dnsLookupFamily?: ProcessSettings['dnsLookupFamily']
  readonly logFormat?: 'text' | 'json'
  /** Keys, separated by commas. */
  readonly cookieKeys?: string
  readonly sessionKeys?: string
  /** 0 is unlimited. */
  readonly webhookConnections?: number
  readonly webhookKeepaliveMs?: number
  readonly mintedTtlMs?: number
  readonly mintedCapacity?: number
  readonly cachesAsProvider?: boolean
  readonly bedrockBetas?: readonly string[]
  /** Where the gateway runs. */
  readonly zone?: string
  readonly node?: string
  readonly otel?: OtelVariables
  readonly xds?: XdsVariables
}

/** Parses and checks these variables. An empty variable counts as not set. */
export function readVariables(env: Environment): {
  readonly variables: ProcessVariables
  readonly problems: readonly ConfigProblem[]
} {
  const problems: ConfigProblem[] = []
  const variables: Record<string, unknown> = {}
  /** The value of a valid variable. */
  const valid = ({ name, check, isSecret = false }: CheckedVariable): string | undefined => {
    const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined
    if (value === undefined || value === '') return undefined
    const complaint = check(value)
    if (complaint === undefined) return value
    problems.push({
      file: 'environment',
      line: 0,
      column: 0,
      pointer: '',
      path: name,
      value: isSecret ? redacted : JSON.stringify(redactUrl(value)),
      ...complaint,
    })
    return undefined
  }
  for (const variable of VARIABLES) {
    const value = valid(variable)
    if (value !== undefined) variables[variable.field] = variable.read(value)
  }
  const otel = otelVariables(valid)
  if (Object.keys(otel).length > 0) variables.otel = otel
  const xds = xdsVariables(valid, env)
  if (Object.keys(xds).length > 0) variables.xds = xds
  return { variables, problems }
}

interface Variable extends CheckedVariable {
  readonly field: keyof ProcessVariables
  readonly read: (text: string) => unknown
}

const asText = (text: string): string => text
const FAMILIES = ['All', 'Auto', 'V4Preferred', 'V4Only', 'V6Only']

const VARIABLES: readonly Variable[] = [
  { name: 'ADMIN_ADDR', field: 'adminAddr', check: serverAddressFormat, read: asText },
  { name: 'STATS_ADDR', field: 'statsAddr', check: serverAddressFormat, read: asText },
  { name: 'READINESS_ADDR', field: 'readinessAddr', check: serverAddressFormat, read: asText },
  {
    name: 'CONNECTION_TERMINATION_DEADLINE',
    field: 'terminationDeadlineMs',
    check: durationFormat,
    read: parseDuration,
  },
  {
    name: 'CONNECTION_MIN_TERMINATION_DEADLINE',
    field: 'minTerminationDeadlineMs',
    check: durationFormat,
    read: parseDuration,
  },
  { name: 'TERMINATION_GRACE_PERIOD_SECONDS', field: 'gracePeriodMs', check: seconds, read: deadlineWithin },
  {
    name: 'IPV6_ENABLED',
    field: 'ipv6Enabled',
    check: flag,
    read: isTrue,
  },
  { name: 'DNS_LOOKUP_FAMILY', field: 'dnsLookupFamily', check: oneOf(FAMILIES), read: asText },
  { name: 'OIDC_COOKIE_SECRET', field: 'cookieKeys', check: sealKeys, read: asText, isSecret: true },
  { name: 'SESSION_KEY', field: 'sessionKeys', check: sealKeys, read: asText, isSecret: true },
  {
    name: 'GUARDRAIL_WEBHOOK_MAX_CONNECTIONS',
    field: 'webhookConnections',
    check: connections,
    read: Number,
  },
  {
    name: 'GUARDRAIL_WEBHOOK_KEEPALIVE_SECONDS',
    field: 'webhookKeepaliveMs',
    check: keepaliveSeconds,
    read: (text) => Number(text) * 1000,
  },
  { name: 'DYNAMIC_CA_CERT_CACHE_TTL', field: 'mintedTtlMs', check: lifetime, read: parseDuration },
  { name: 'DYNAMIC_CA_CERT_CACHE_CAPACITY', field: 'mintedCapacity', check: capacity, read: Number },
  {
    name: 'AGENTGATEWAY_LEGACY_LLM_USAGE_TOKEN_SEMANTICS',
    field: 'cachesAsProvider',
    check: flag,
    read: isTrue,
  },
  {
    name: 'AGENTGATEWAY_BEDROCK_ANTHROPIC_BETA_HEADERS',
    field: 'bedrockBetas',
    check: betas,
    read: betasIn,
  },
  { name: 'ZONE', field: 'zone', check: locationName, read: asText },
  { name: 'NODE_NAME', field: 'node', check: locationName, read: asText },
  { name: 'LOG_FORMAT', field: 'logFormat', check: oneOf(['text', 'json']), read: asText },
]

function oneOf(words: readonly string[]): FormatCheck {
  return (text) => (words.includes(text) ? undefined : { expectation: `must be one of ${words.join(', ')}` })
}

function flag(text: string): ReturnType<FormatCheck> {
  return oneOf(['true', 'false', '1', '0'])(text)
}

function isTrue(text: string): boolean {
  return text === 'true' || text === '1'
}

function betas(text: string): ReturnType<FormatCheck> {
  if (/^[\w.,\s-]+$/.test(text)) return undefined
  return {
    expectation:
      'must be names of betas with commas between them, or default for those that it is known to take',
  }
}

function locationName(text: string): ReturnType<FormatCheck> {
  return /^[\w.-]{1,253}$/.test(text)
    ? undefined
    : { expectation: 'must be a name of letters, digits, . _ -' }
}

function betasIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  return names.flatMap((name) => (name === 'default' ? knownBetas : name === '' ? [] : name))
}

function sealKeys(text: string): ReturnType<FormatCheck> {
  const isKey = (key: string) => /^[0-9A-Fa-f]{64}$/.test(key.trim())
  if (text.split(',').every(isKey)) return undefined
  return { expectation: 'must be a key of 64 hexadecimal digits, or several with commas between them' }
}

function seconds(text: string): ReturnType<FormatCheck> {
  return /^\d{1,9}$/.test(text) ? undefined : { expectation: 'must be a whole number of seconds' }
}

function connections(text: string): ReturnType<FormatCheck> {
  return /^\d{1,6}$/.test(text) ? undefined : { expectation: 'must be a whole number, 0 for no limit' }
}

function lifetime(text: string): ReturnType<FormatCheck> {
  return parseDuration(text) === 0 ? { expectation: 'must be more than 0s' } : durationFormat(text)
}

function capacity(text: string): ReturnType<FormatCheck> {
  return /^[1-9]\d{0,5}$/.test(text) ? undefined : { expectation: 'must be a whole number from 1 to 999999' }
}

/** The longest timeout of a Node timer. */
const TIMER_SECONDS = 2_147_483

function keepaliveSeconds(text: string): ReturnType<FormatCheck> {
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= TIMER_SECONDS) return undefined
  return { expectation: `must be a whole number of seconds from 1 to ${TIMER_SECONDS}` }
}

/** Leaves time for an orderly shutdown before the process is killed. */
function deadlineWithin(text: string): number {
  const grace = Number(text)
  return Math.max(1, grace > 10 ? grace - 5 : grace - 1) * 1000
}
