import type { Connection } from '../model/exchange/connection.ts'
import type { Exchange } from '../model/exchange/exchange.ts'
import { httpVersions } from '../model/exchange/request.ts'
import { redactQuery, type Redaction } from '../model/trace/redact.ts'
import type { BackendLabels, RouteLabels } from '../model/resources/snapshot.ts'

/**
 * The state of a request at one moment. Taking one copies an array of strings; the JSON is made on demand, and once for
 * all snapshots between which nothing changed.
 */
export class RequestPortrait {
  readonly #x: Exchange
  readonly #method: string
  readonly #target: string
  readonly #authority: string
  readonly #headers: readonly string[]
  #json: string | undefined = undefined

  constructor(x: Exchange) {
    const { request } = x
    this.#x = x
    this.#method = request.method
    this.#target = request.target
    this.#authority = request.authority
    this.#headers = request.headers.raw.slice()
  }

  /** Whether the request is unchanged. */
  holds(x: Exchange): boolean {
    const { request } = x
    return (
      request.target === this.#target &&
      request.authority === this.#authority &&
      request.method === this.#method &&
      sameFields(request.headers.raw, this.#headers)
    )
  }

  json(redaction: Redaction): string {
    return (this.#json ??= this.#encode(redaction))
  }

  #encode(redaction: Redaction): string {
    const { request } = this.#x
    const mark = this.#target.indexOf('?')
    const path = mark < 0 ? this.#target : this.#target.slice(0, mark)
    const target = mark < 0 ? path : path + redactQuery(this.#target.slice(mark))
    return (
      `{"method":${quote(this.#method)},"uri":${quote(`${request.scheme}://${this.#authority}${target}`)}` +
      `,"path":${quote(path)},"pathAndQuery":${quote(target)},"host":${quote(this.#authority)}` +
      `,"scheme":"${request.scheme}","version":"${httpVersions[request.httpVersion]}"` +
      `,"headers":${fieldsJson(this.#headers, redaction)},"startTime":"${timestamp(request.startTimeMs)}"}`
    )
  }
}

/** The state of a reply at one moment. */
export class ReplyPortrait {
  readonly #status: number
  readonly #headers: readonly string[]
  #json: string | undefined = undefined

  constructor(status: number, headers: readonly string[]) {
    this.#status = status
    this.#headers = headers.slice()
  }

  holds(status: number, headers: readonly string[]): boolean {
    return status === this.#status && sameFields(headers, this.#headers)
  }

  json(redaction: Redaction): string {
    return (this.#json ??= `{"code":${this.#status},"headers":${fieldsJson(this.#headers, redaction)}}`)
  }
}

/** The variable `proxy`, from the labels of the exchange, without its braces. */
export const contextJson = (labels: RouteLabels): string => {
  let json = byRoute.get(labels)
  if (json === undefined) byRoute.set(labels, (json = encodeLabels(labels)))
  return json
}

/** The variables `source` and `destination`, without braces around them. */
export const connectionJson = (connection: Connection): string => {
  let json = connections.get(connection)
  if (json === undefined) connections.set(connection, (json = encodeConnection(connection)))
  return json
}

/** The variable `backend`. */
export const backendJson = (backend: BackendLabels): string => {
  let json = backends.get(backend)
  if (json === undefined)
    backends.set(
      backend,
      (json = `{"name":${quote(backend.name)},"type":"${backend.type}","protocol":"${backend.protocol}"}`),
    )
  return json
}

/** A duration of CEL, from milliseconds. */
export const seconds = (ms: number): string => `"${(ms / 1000).toFixed(9)}s"`

/** A string as JSON. */
export const quote = (text: string): string => JSON.stringify(text)

// These objects live as long as a snapshot or a connection, and every traced request would encode them again.
const byRoute = new WeakMap<RouteLabels, string>()
const connections = new WeakMap<Connection, string>()
const backends = new WeakMap<BackendLabels, string>()

const encodeLabels = ({ bind, gateway, listener, route, routeRule }: RouteLabels): string =>
  [
    `"bind":${quote(bind)}`,
    gateway === undefined ? undefined : `"gateway":${namespacedJson(gateway)}`,
    listener === undefined ? undefined : `"listener":{"name":${quote(listener)}}`,
    route === undefined ? undefined : `"route":${namespacedJson(route, routeRule)}`,
  ]
    .filter((part) => part !== undefined)
    .join(',')

const namespacedJson = (name: string, rule?: string): string => {
  const slash = name.indexOf('/')
  return JSON.stringify({ namespace: name.slice(0, Math.max(slash, 0)), name: name.slice(slash + 1), rule })
}

const encodeConnection = (connection: Connection): string => {
  const { tls } = connection
  const source = {
    address: connection.sourceAddress,
    port: connection.sourcePort,
    rawAddress: connection.rawAddress,
    rawPort: connection.rawPort,
    spiffeId: tls?.client?.spiffeId,
    subjectAltNames: tls?.client?.subjectAltNames,
    issuer: tls?.client?.issuer,
    subject: tls?.client?.subject,
    subjectCn: tls?.client?.subjectCn,
  }
  const destination = {
    address: connection.destinationAddress,
    port: connection.destinationPort,
    hostname: tls?.serverName,
  }
  return `"source":${JSON.stringify(source)},"destination":${JSON.stringify(destination)}`
}

/** Header fields as CEL shows them: a string, or a list where a field is repeated. */
const fieldsJson = (raw: readonly string[], redaction: Redaction): string => {
  let json = '{'
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (raw.indexOf(name) < i && isRepeat(raw, name, i)) continue
    if (json.length > 1) json += ','
    json += `${quote(name)}:${valueJson(raw, name, i, redaction)}`
  }
  return json + '}'
}

const valueJson = (raw: readonly string[], name: string, first: number, redaction: Redaction): string => {
  let more: string[] | undefined
  const value = redaction.header(name, raw[first + 1] as string)
  for (let i = first + 2; i < raw.length; i += 2)
    if (raw[i] === name) (more ??= [value]).push(redaction.header(name, raw[i + 1] as string))
  return more ? JSON.stringify(more) : quote(value)
}

const isRepeat = (raw: readonly string[], name: string, before: number): boolean => {
  for (let i = 0; i < before; i += 2) if (raw[i] === name) return true
  return false
}

const sameFields = (one: readonly string[], other: readonly string[]): boolean => {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false
  return true
}

/** RFC 3339 with microseconds, which `Date` does not have. */
const timestamp = (epochMs: number): string => {
  const whole = Math.floor(epochMs)
  const micros = Math.floor((epochMs - whole) * 1000)
  return `${new Date(whole).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
