import type { Exchange } from '../model/exchange/exchange.ts'
import { hideSecretsInJson, type Redaction } from '../model/trace/redact.ts'
import { redactValue } from '../model/trace/redact-value.ts'
import type { TraceEvent, TraceEntry } from '../model/trace/trace-event.ts'
import { backendJson, connectionJson, contextJson, quote, seconds } from './probe-state.ts'
import type { ExchangePortrait, ProbeRecord } from './probe-record.ts'

/**
 * Events of one exchange, in order, recorded since the last batch. They are encoded on demand, once for all
 * subscribers: a subscriber that drops them costs no JSON.
 */
export class TraceBatch {
  readonly #x: Exchange
  readonly #records: readonly ProbeRecord[]
  readonly #redaction: Redaction
  #all: readonly string[] | undefined = undefined
  #withoutBodies: readonly string[] | undefined = undefined

  constructor(x: Exchange, records: readonly ProbeRecord[], redaction: Redaction) {
    this.#x = x
    this.#records = records
    this.#redaction = redaction
  }

  /** Number of events, bodies included. */
  get size(): number {
    return this.#records.length
  }

  /** Each event as JSON. */
  json(bodies: boolean): readonly string[] {
    this.#all ??= this.#records.map((record) => this.#encode(record))
    if (bodies) return this.#all
    const { length } = this.#records.filter(isBody)
    if (length === 0) return this.#all
    return (this.#withoutBodies ??= this.#all.filter((_, i) => !isBody(this.#records[i])))
  }

  /** Each event as an object, parsed from the JSON, credentials redacted. */
  events(bodies: boolean): TraceEvent[] {
    return this.json(bodies).map((text) => JSON.parse(text) as TraceEvent)
  }

  #encode({ began, at, message, snapshot }: ProbeRecord): string {
    const { secrets } = this.#x.policy
    const plain = recordJson(message, snapshot, this.#x, this.#redaction)
    const body = secrets ? hideSecretsInJson(plain, secrets) : plain
    const severity = message ? severityOf(message) : 'info'
    return (
      `{"eventStart":${began ?? null},"eventEnd":${at},"severity":"${severity}","message":${body}` +
      `,"requestId":"${this.#x.request.id}"}`
    )
  }
}

const recordJson = (
  message: TraceEntry | undefined,
  portrait: ExchangePortrait | undefined,
  x: Exchange,
  redaction: Redaction,
): string => {
  if (!portrait) return message ? messageJson(message, x, redaction) : '{}'
  return message?.type === 'cel'
    ? celJson(message, portrait, x, redaction)
    : snapshotJson(portrait, x, redaction)
}

const isBody = (record: ProbeRecord | undefined): boolean => record?.message?.type === 'bodySnapshot'

/** JSON of values that are the same object for every request of a route: the largest part of a trace. */
const constants = new WeakMap<object, string>()

const constantJson = (value: unknown, redaction: Redaction): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  let json = constants.get(value)
  if (json === undefined) constants.set(value, (json = JSON.stringify(redactValue(value, redaction))))
  return json
}

const messageJson = (message: TraceEntry, x: Exchange, redaction: Redaction): string => {
  switch (message.type) {
    case 'requestStarted':
      return '{"type":"requestStarted"}'
    case 'policySelection':
      return `{"type":"policySelection","phase":${quote(message.phase)},"effectivePolicy":${constantJson(message.effectivePolicy, redaction)}}`
    case 'routeSelection':
      return `{"type":"routeSelection","selectedRoute":${JSON.stringify(message.selectedRoute)},"evaluatedRoutes":${constantJson(message.evaluatedRoutes, redaction)}${reasonsJson(message.notSelected, x, redaction)}}`
    case 'bodySnapshot':
    case 'traceSampling':
    case 'requestFinished':
    case 'dropped':
      return JSON.stringify(message)
    default:
      // Texts and values of policies may quote credentials of the request.
      return hideSecretsInJson(
        JSON.stringify(redactValue(message, redaction)),
        redaction.secrets(x.request.headers.raw),
      )
  }
}

/** Reasons quote the request. */
const reasonsJson = (reasons: object | undefined, x: Exchange, redaction: Redaction): string =>
  reasons === undefined
    ? ''
    : `,"notSelected":${hideSecretsInJson(JSON.stringify(reasons), redaction.secrets(x.request.headers.raw))}`

const snapshotJson = (portrait: ExchangePortrait, x: Exchange, redaction: Redaction): string =>
  `{"type":"${portrait.reply ? 'responseSnapshot' : 'requestSnapshot'}","stage":${quote(portrait.stage)}` +
  `,"requestState":${stateJson(portrait, x, redaction)}}`

/** The variables of expressions at that moment. */
const stateJson = (portrait: ExchangePortrait, x: Exchange, redaction: Redaction): string => {
  const { request, reply, backend, requestProcessingMs, upstreamMs } = portrait
  const labels = contextJson(portrait.labels)
  const connection = connectionJson(x.request.connection)
  const chosen = backend ? `,"backend":${backendJson(backend)}` : ''
  if (!reply)
    return `{"request":${request.json(redaction)},"proxy":{${labels}},"env":{},${connection}${chosen}}`
  const times =
    (requestProcessingMs > 0 ? `,"requestProcessingDuration":${seconds(requestProcessingMs)}` : '') +
    (upstreamMs > 0 ? `,"upstreamDuration":${seconds(upstreamMs)}` : '')
  // A reply of the gateway is shown with the request that led to it.
  const requestJson = portrait.fromUpstream ? '' : `"request":${request.json(redaction)},`
  const around = portrait.fromUpstream ? '' : `,${connection}`
  return `{${requestJson}"response":${reply.json(redaction)},"proxy":{${labels}${times}},"env":{}${around}${chosen}}`
}

const celJson = (
  { expr, result }: Extract<TraceEntry, { type: 'cel' }>,
  portrait: ExchangePortrait,
  x: Exchange,
  redaction: Redaction,
): string => {
  const shown = (value: unknown): string =>
    hideSecretsInJson(JSON.stringify(redactValue(value, redaction)), redaction.secrets(x.request.headers.raw))
  return `{"type":"cel","expr":${shown(expr)},"requestState":${stateJson(portrait, x, redaction)},"result":${shown(result)}}`
}

const severityOf = (message: TraceEntry): TraceEvent['severity'] => {
  switch (message.type) {
    case 'routeSelection':
      return message.selectedRoute === null ? 'error' : 'info'
    case 'backendCallResult':
    case 'requestFinished':
      return message.error === null ? severityOfStatus(message.status) : 'error'
    case 'policy':
      return severityOfStatus(message.status ?? null)
    case 'authorizationResult':
      return message.result === 'allow' ? 'success' : 'error'
    case 'cel':
      return isFailure(message.result) ? 'warn' : 'info'
    case 'dropped':
      return 'warn'
    default:
      return 'info'
  }
}

const severityOfStatus = (status: number | null): TraceEvent['severity'] => {
  if (status === null || status < 400) return 'info'
  return status < 500 ? 'warn' : 'error'
}

const isFailure = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && Object.keys(result).join() === 'error'
