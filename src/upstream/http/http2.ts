import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { responseTrailers } from './response/response-trailers.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import { codeOf, connectFault, upstreamFault } from '../faults.ts'
import type { PooledHttp2Session, Http2Pool } from './http2-pool.ts'
import { StreamCall } from './stream-call.ts'

/**
 * Sends a request over HTTP/2, with trailers both ways.
 *
 * A request that its connection has not processed (refused, or beyond the last stream of a GOAWAY) is sent again on
 * another connection, provided that its body is buffered as a whole.
 *
 * @param otherwise Sends the request over HTTP/1.1, if the upstream turns out not to speak HTTP/2.
 */
export const callHttp2 = (
  pool: Http2Pool,
  request: UpstreamRequest,
  scheme: 'http' | 'https',
  events: UpstreamEvents,
  otherwise?: () => UpstreamCall,
): UpstreamCall => {
  const call = new Http2Call(pool, request, scheme, events, otherwise)
  call.send()
  return call
}

const { NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM, NGHTTP2_FLAG_END_STREAM } = constants

class Http2Call extends StreamCall {
  readonly #pool: Http2Pool
  readonly #scheme: 'http' | 'https'
  readonly #otherwise: (() => UpstreamCall) | undefined
  #instead: UpstreamCall | undefined = undefined
  #stream: ClientHttp2Stream | undefined = undefined
  #trailers: readonly string[] | undefined = undefined
  #requestTrailers: readonly string[] | undefined = undefined

  constructor(
    pool: Http2Pool,
    request: UpstreamRequest,
    scheme: 'http' | 'https',
    events: UpstreamEvents,
    otherwise: (() => UpstreamCall) | undefined,
  ) {
    super(request, events)
    this.#pool = pool
    this.#scheme = scheme
    this.#otherwise = otherwise
  }

  get takenBody(): UpstreamCall['takenBody'] {
    return this.#instead?.takenBody
  }

  override send(): void {
    this.#pool.connection((found) => {
      if (this.over) return
      if (found === 'http/1.1' && this.#otherwise) this.#instead = this.#otherwise()
      else if (found instanceof Error) this.fail(connectFault(found))
      else if (found === 'http/1.1') this.fail(connectFault(noHttp2()))
      else this.#sendOn(found)
    })
  }

  override bodyEnded(trailers: readonly string[] | undefined): void {
    this.#requestTrailers = trailers
    this.#stream?.end()
  }

  override abort(): void {
    super.abort()
    this.#instead?.abort()
  }

  protected override releaseConnection(): void {
    this.#stream?.close(NGHTTP2_CANCEL)
  }

  #sendOn(connection: PooledHttp2Session): void {
    const { body } = this.request
    const hasBody = body.lengthBytes !== 0
    const hadResponded = connection.hasResponded
    const stream = this.#open(connection, hasBody)
    if (!stream) return
    connection.began(stream)
    this.#stream = stream
    let error: unknown
    stream.on('error', (cause) => {
      error = cause
    })
    stream.on('headers', (fields) => this.#interim(Number(fields[':status']), fields))
    stream.on('response', (fields, flags) => {
      connection.hasResponded = true
      const ended = (flags & NGHTTP2_FLAG_END_STREAM) !== 0
      this.receive(Number(fields[':status']), plain(fields), stream, ended || this.request.method === 'HEAD')
    })
    stream.on('trailers', (fields: object) => {
      this.#trailers = responseTrailers(flat(plain(fields)))
    })
    stream.on('end', () => {
      if (this.isResponding && stream.rstCode === 0) this.received(this.#trailers)
    })
    stream.on('close', () => this.#closed(stream, connection, hadResponded, error))
    stream.on('wantTrailers', () => stream.sendTrailers(record(this.#requestTrailers ?? [])))
    if (hasBody) this.sendBody(stream)
  }

  #open(connection: PooledHttp2Session, hasBody: boolean): ClientHttp2Stream | undefined {
    try {
      return connection.session.request(h2Headers(this.request, this.#scheme), {
        endStream: !hasBody,
        waitForTrailers: hasBody,
      })
    } catch (error) {
      // The session has ended without an event so far, or the request cannot be written at all.
      const ended = /^ERR_HTTP2_(GOAWAY|INVALID)_SESSION$/.test(codeOf(error))
      if (!ended || !this.resend()) this.fail(upstreamFault(error))
      return undefined
    }
  }

  #interim(status: number, fields: object): void {
    // Heads have no flow control in HTTP/2, and pausing the connection would pause every other call on it.
    this.informed(status, flat(plain(fields)), ignoreResume)
  }

  #closed(
    stream: ClientHttp2Stream,
    connection: PooledHttp2Session,
    hadResponded: boolean,
    error: unknown,
  ): void {
    if (this.over || stream !== this.#stream) return
    const untouched =
      stream.rstCode === NGHTTP2_REFUSED_STREAM ||
      connection.isBeyondGoaway(stream.id) ||
      (hadResponded && connection.isGone)
    if (untouched && this.resend()) return
    this.fail(upstreamFault(error ?? reset(stream.rstCode)))
  }
}

const h2Headers = ({ method, target, headers }: UpstreamRequest, scheme: string): OutgoingHttpHeaders => {
  const fields: OutgoingHttpHeaders = Object.create(null) as OutgoingHttpHeaders
  fields[':method'] = method
  fields[':scheme'] = scheme
  fields[':path'] = target
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase()
    const value = headers[i + 1] as string
    if (name === 'host') fields[':authority'] = value
    else append(fields, name, value)
  }
  return fields
}

const append = (fields: OutgoingHttpHeaders, name: string, value: string): void => {
  const before = fields[name]
  if (before === undefined) fields[name] = value
  else if (Array.isArray(before)) before.push(value)
  else fields[name] = [String(before), value]
}

const record = (raw: readonly string[]): OutgoingHttpHeaders => {
  const fields: OutgoingHttpHeaders = Object.create(null) as OutgoingHttpHeaders
  for (let i = 0; i + 1 < raw.length; i += 2) append(fields, raw[i] as string, raw[i + 1] as string)
  return fields
}

const flat = (fields: Readonly<Record<string, string | string[] | undefined>>): string[] => {
  const raw: string[] = []
  for (const [name, value = []] of Object.entries(fields))
    // `:status` is no field.
    if (!name.startsWith(':'))
      for (const one of typeof value === 'string' ? [value] : value) raw.push(name, one)
  return raw
}

const plain = (fields: object): Record<string, string | string[] | undefined> =>
  fields as Record<string, string | string[] | undefined>

const ignoreResume = (): void => undefined

const noHttp2 = (): Error =>
  Object.assign(new Error('the upstream does not speak HTTP/2'), { code: 'ERR_TLS_ALPN' })

const reset = (code: number | undefined): Error =>
  Object.assign(new Error(`the stream was reset with code ${code ?? 0}`), { code: 'ECONNRESET' })
