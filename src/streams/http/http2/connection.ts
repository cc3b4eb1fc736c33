import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { randomBytes } from 'node:crypto'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { emptyBody } from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import type { FrontendHttp } from '../../../model/resources/frontend-policies.ts'
import { Request } from '../../../model/exchange/request.ts'
import { isGrpc } from '../../../protocols/grpc/status.ts'
import { readH2RequestHead } from '../../../protocols/http/h2-head.ts'
import type { RequestHead } from '../../../protocols/http/request-head.ts'
import { readTrailers } from '../../../protocols/http/trailers.ts'
import type { ClientConnection, ConnectionDriver } from '../connection/client-connection.ts'
import { connectListener } from '../connection/connect-tunnel.ts'
import type { Responder } from '../port/port-hooks.ts'
import type { ConnectionActivity } from '../connection/connection-activity.ts'
import { http2Activity } from './activity.ts'
import { pingRegularly } from './keepalive.ts'
import { RequestQueue } from './request-queue.ts'
import { Http2Body } from '../connection/request-body.ts'
import { matchListener } from '../port/serve.ts'
import { limitBodyTime } from './body-time-limit.ts'

/** Resets that a client may send at once, and per second after that: each costs the gateway an exchange. */
const RESET_BURST = 200
const RESETS_PER_SECOND = 33

/** How long a retired connection stays without a stream before it closes: a request sent at once still gets a reply. */
const QUIET_MS = 100

/** One HTTP/2 connection: each stream is an exchange, as many at a time as the settings allow. */
export class Http2Connection implements ConnectionDriver {
  readonly #connection: ClientConnection
  readonly #session: ServerHttp2Session
  readonly #exchanges = new Map<Exchange, ServerHttp2Stream>()
  /** Exchanges that are tunnels, or request one. */
  readonly #tunnels = new Set<Responder>()
  /** Resets that count, decaying with time, and when they were last counted. */
  #resets = 0
  #resetsAt = 0
  readonly #queue: RequestQueue
  #isRetired = false
  #quiet: NodeJS.Timeout | undefined = undefined

  constructor(connection: ClientConnection, session: ServerHttp2Session) {
    this.#connection = connection
    this.#session = session
    this.#queue = new RequestQueue(
      connection.port.serving.turns,
      (stream, rawHeaders) => this.#open(stream, rawHeaders),
      (stream) => this.#reset(stream),
    )
    const { http } = connection.port.served.bind.frontend
    session.setTimeout(http.idleTimeoutMs, () => {
      if (!this.isBusy) this.close()
    })
    session.once('close', () => clearTimeout(this.#quiet))
    if (http.http2KeepaliveIntervalMs !== undefined)
      pingRegularly(
        session,
        http.http2KeepaliveIntervalMs,
        http.http2KeepaliveTimeoutMs ?? http.http2KeepaliveIntervalMs,
      )
  }

  /** Accepts a request. */
  take(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    // A stream that fails also closes; the sink handles the close.
    stream.on('error', ignore)
    this.#queue.take(stream, rawHeaders)
  }

  #open(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    // A stream may have been reset while it was queued; `aborted` is not set if Node has ended it already (HEAD).
    if (stream.aborted || stream.closed) {
      this.#reset(stream)
      return
    }
    const { served, http1 } = this.#connection.port
    const head = readH2RequestHead(rawHeaders, stream.endAfterHeaders, http1.pathRules)
    if ('refused' in head) {
      this.#recordRejection(head.status, head.refused)
      if (head.status === 417) respondShortly(stream, 417, head.message)
      else stream.close(constants.NGHTTP2_PROTOCOL_ERROR)
      return
    }
    if (isTooLarge(rawHeaders, served.bind.frontend.http)) {
      this.#recordRejection(431, 'headers_too_large')
      respondShortly(stream, 431, 'too many header fields, or too large')
      return
    }
    if (head.protocol !== undefined && !http1.upgrades.has(head.protocol)) {
      this.#recordRejection(501, 'protocol_not_allowed')
      respondShortly(stream, 501, 'protocol not allowed')
      return
    }
    this.#begin(stream, head)
  }

  retire(): void {
    this.#isRetired = true
    this.#waitForQuiet()
  }

  /** Node silently drops streams after its GOAWAY: clients know from it that they were not processed. */
  closeWhenIdle(): void {
    clearTimeout(this.#quiet)
    if (this.#session.closed) return
    this.#session.close()
  }

  close(): void {
    this.closeWhenIdle()
    for (const responder of this.#tunnels) responder.endTunnel?.('open for too long')
  }

  ended(x: Exchange): void {
    this.#exchanges.delete(x)
    if (this.#isRetired) this.#waitForQuiet()
  }

  activity(): ConnectionActivity {
    return http2Activity(this.#exchanges, this.#queue.pending)
  }

  #waitForQuiet(): void {
    if (this.isBusy || this.#session.closed) return
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => {
      if (!this.isBusy) this.closeWhenIdle()
    }, QUIET_MS)
  }

  get isBusy(): boolean {
    return this.#exchanges.size > 0 || this.#queue.pending > 0
  }

  #begin(stream: ServerHttp2Stream, head: RequestHead): void {
    stream.on('aborted', () => this.#aborted(stream))
    const { served, serving } = this.#connection.port
    const match =
      head.method === 'CONNECT' && head.protocol === undefined
        ? connectListener(this.#connection, served, head)
        : matchListener(served, this.#connection, head.host)
    const x = serving.open(served, match, this.#request(stream, head))
    this.#exchanges.set(x, stream)
    const responder = serving.responders.http2(x, stream, serving.ended)
    const { requestBodyTimeoutMs } = served.bind.frontend.http
    if (requestBodyTimeoutMs > 0 && x.request.body !== emptyBody)
      limitBodyTime(stream, responder, requestBodyTimeoutMs)
    if (head.method === 'CONNECT') {
      this.#tunnels.add(responder)
      stream.once('close', () => this.#tunnels.delete(responder))
    }
    serving.run(x, match, responder)
  }

  #request(stream: ServerHttp2Stream, head: RequestHead): Request {
    const connection = this.#connection
    const { protocol, headers } = head
    if (protocol === 'websocket') completeWebSocket(headers)
    return new Request({
      // An extended CONNECT (RFC 8441) is the equivalent of an HTTP/1.1 upgrade.
      method: protocol === undefined ? head.method : 'GET',
      path: head.path,
      query: head.query,
      scheme: connection.tls ? 'https' : 'http',
      authority: head.authority,
      httpVersion: '2',
      headers: new Headers(headers),
      body: head.hasBody && head.method !== 'CONNECT' ? this.#body(stream, head) : emptyBody,
      connection,
      upgrade: protocol,
      hasTrailers: head.hasBody && (head.trailerNames.length > 0 || isGrpc(contentTypeOf(headers))),
      encodedSlashes: connection.port.http1.pathRules.encodedSlashes,
    })
  }

  #body(stream: ServerHttp2Stream, head: RequestHead): Http2Body {
    const body = new Http2Body(stream, head.contentLength, head.expectsContinue)
    stream.on('trailers', (_headers: unknown, _flags: number, raw: string[]) => {
      const trailers = readTrailers(raw)
      if (Array.isArray(trailers)) {
        body.received = trailers
        return
      }
      this.#recordRejection(400, trailers.refused)
      stream.destroy(new Fault(trailers.refused, trailers.message))
    })
    return body
  }

  /** The client has reset a stream whose response was not complete. */
  #aborted(stream: ServerHttp2Stream): void {
    // Destroyed already: the gateway ended it.
    if (!stream.destroyed) this.#reset(stream)
  }

  #reset(stream: ServerHttp2Stream): void {
    // Node is about to end the readable side as if the body were complete; a destroyed stream emits no end.
    stream.destroy()
    const now = performance.now()
    this.#resets = Math.max(0, this.#resets - ((now - this.#resetsAt) * RESETS_PER_SECOND) / 1000) + 1
    this.#resetsAt = now
    if (this.#resets > RESET_BURST && !this.#session.destroyed)
      this.#session.destroy(
        new Fault('too_many_resets', 'too many resets'),
        constants.NGHTTP2_ENHANCE_YOUR_CALM,
      )
  }

  #recordRejection(status: number, code: string): void {
    const { served, serving } = this.#connection.port
    serving.hooks.connections?.refused(served.bind.labels, status, code)
  }
}

/** Node only advertises the limit on bytes, and drops fields far beyond the limit on their number. */
const isTooLarge = (raw: readonly string[], http: FrontendHttp): boolean => {
  let fields = 0
  let sizeBytes = 0
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string
    if (!name.startsWith(':')) fields++
    sizeBytes += name.length + (raw[i + 1] as string).length
  }
  return fields > http.maxHeaders || sizeBytes > (http.http2MaxHeaderBytes ?? http.maxHeaderBytes)
}

/** A response without an exchange. */
const respondShortly = (stream: ServerHttp2Stream, status: number, message: string): void => {
  stream.respond({ ':status': status, 'content-type': 'text/plain' })
  stream.end(message)
  stream.close(constants.NGHTTP2_NO_ERROR)
}

/** HTTP/2 upgrades have no key; an upstream that speaks HTTP/1.1 requires one. */
const completeWebSocket = (headers: string[]): void => {
  if (!headers.includes('sec-websocket-key'))
    headers.push('sec-websocket-key', randomBytes(16).toString('base64'))
  if (!headers.includes('sec-websocket-version')) headers.push('sec-websocket-version', '13')
}

const contentTypeOf = (headers: readonly string[]): string | undefined => {
  const at = headers.indexOf('content-type')
  return at < 0 ? undefined : headers[at + 1]
}

const ignore = (): void => undefined
