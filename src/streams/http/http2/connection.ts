import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { randomBytes } from 'node:crypto'
import { emptyBody } from '../../model/body.ts'
import { Fault } from '../../model/fault.ts'
import { Headers } from '../../model/headers.ts'
import type { FrontendHttp } from '../../model/frontend-policies.ts'
import { Request } from '../../model/request.ts'
import { isGrpc } from '../../protocols/grpc/status.ts'
import { readH2RequestHead } from '../../protocols/http/h2-head.ts'
import type { RequestHead } from '../../protocols/http/request-head.ts'
import { readTrailers } from '../../protocols/http/trailers.ts'
import type { ClientConnection, Conversation } from './client-connection.ts'
import { connectDoorway } from './connect.ts'
import type { Responder } from './gate.ts'
import { destroyWhenStill } from './half-close.ts'
import { refusalReply, requestTooSlow } from './refusal.ts'
import { Http2Body } from './request-body.ts'
import { doorwayOf } from './serve.ts'

/** Resets that a client may send at once, and per second after that: a reset costs it nothing, and us an exchange. */
const RESET_BURST = 200
const RESETS_PER_SECOND = 33

/** One HTTP/2 connection: its streams are exchanges of their own, as many at a time as the settings allow. */
export class Http2Conversation implements Conversation {
  readonly #connection: ClientConnection
  readonly #session: ServerHttp2Session
  #streams = 0
  /** Those that are tunnels, or ask to become one. */
  readonly #tunnels = new Set<Responder>()
  /** Resets that count, fewer with time, and when that was. */
  #resets = 0
  #resetsAt = 0
  #pings: NodeJS.Timeout | undefined = undefined

  constructor(connection: ClientConnection, session: ServerHttp2Session) {
    this.#connection = connection
    this.#session = session
    const { http } = connection.port.served.bind.frontend
    session.setTimeout(http.idleTimeoutMs, () => {
      if (this.#streams === 0) this.close()
    })
    session.once('close', () => clearInterval(this.#pings))
    if (http.http2KeepaliveIntervalMs !== undefined)
      this.#keepAlive(
        http.http2KeepaliveIntervalMs,
        http.http2KeepaliveTimeoutMs ?? http.http2KeepaliveIntervalMs,
      )
    connection.stream.once('end', () => this.#halfClosed(http.halfCloseGraceMs))
  }

  /** Takes a request. */
  take(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    // A stream that fails also closes, and closing is what the sink listens to.
    stream.on('error', ignore)
    if (stream.aborted) {
      this.#reset(stream)
      return
    }
    const { served, http1 } = this.#connection.port
    const head = readH2RequestHead(rawHeaders, stream.endAfterHeaders, http1.pathRules)
    if ('refused' in head) {
      this.#note(head.status, head.refused)
      if (head.status === 417) answerShortly(stream, 417, head.message)
      else stream.close(constants.NGHTTP2_PROTOCOL_ERROR)
      return
    }
    if (isTooLarge(rawHeaders, served.bind.frontend.http)) {
      this.#note(431, 'headers_too_large')
      answerShortly(stream, 431, 'too many header fields, or too large')
      return
    }
    if (head.protocol !== undefined && !http1.upgrades.has(head.protocol)) {
      this.#note(501, 'protocol_not_allowed')
      answerShortly(stream, 501, 'protocol not allowed')
      return
    }
    this.#begin(stream, head)
  }

  retire(): void {
    if (!this.#session.closed) this.#session.close()
  }

  close(): void {
    this.retire()
    for (const responder of this.#tunnels) responder.endTunnel?.('open for too long')
  }

  ended(): void {
    this.#streams--
  }

  #begin(stream: ServerHttp2Stream, head: RequestHead): void {
    stream.on('aborted', () => this.#aborted(stream))
    const { served, serving } = this.#connection.port
    const doorway =
      head.method === 'CONNECT' && head.protocol === undefined
        ? connectDoorway(this.#connection, served, head)
        : doorwayOf(served, this.#connection, head.host)
    const x = serving.open(served, doorway, this.#request(stream, head))
    this.#streams++
    const responder = serving.responders.http2(x, stream, serving.ended)
    const { requestBodyTimeoutMs } = served.bind.frontend.http
    if (requestBodyTimeoutMs > 0 && x.request.body !== emptyBody)
      limitTime(stream, responder, requestBodyTimeoutMs)
    if (head.method === 'CONNECT') {
      this.#tunnels.add(responder)
      stream.once('close', () => this.#tunnels.delete(responder))
    }
    serving.run(x, doorway, responder)
  }

  #request(stream: ServerHttp2Stream, head: RequestHead): Request {
    const connection = this.#connection
    const { protocol, headers } = head
    if (protocol === 'websocket') completeWebSocket(headers)
    return new Request({
      // An extended CONNECT (RFC 8441) asks for what an upgrade asks for in HTTP/1.1.
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
      this.#note(400, trailers.refused)
      stream.destroy(new Fault(trailers.refused, trailers.message))
    })
    return body
  }

  /** The client has reset a stream whose answer was not complete. */
  #aborted(stream: ServerHttp2Stream): void {
    // Destroyed already: it was this side that gave up.
    if (!stream.destroyed) this.#reset(stream)
  }

  #reset(stream: ServerHttp2Stream): void {
    // Node is about to end the readable side as if the body were whole; what is destroyed does not end any more.
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

  #note(status: number, code: string): void {
    const { served, serving } = this.#connection.port
    serving.gate.connections?.refused(served.bind.labels, status, code)
  }

  /** Asks now and then whether the client is still there. */
  #keepAlive(intervalMs: number, timeoutMs: number): void {
    const session = this.#session
    this.#pings = setInterval(() => {
      if (session.destroyed) return
      const answered = setTimeout(() => session.destroy(), timeoutMs)
      session.ping(() => clearTimeout(answered))
    }, intervalMs)
  }

  #halfClosed(graceMs: number): void {
    if (this.#streams === 0) this.#session.destroy()
    else destroyWhenStill(this.#connection.stream, graceMs)
  }
}

/** Node only tells the client of the limit on bytes, and leaves out fields far beyond the one on their number. */
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

/** Ends an exchange whose body does not end. */
const limitTime = (stream: ServerHttp2Stream, responder: Responder, limitMs: number): void => {
  const timer = setTimeout(() => responder.interrupt(refusalReply(requestTooSlow)), limitMs)
  const stop = () => clearTimeout(timer)
  stream.on('end', stop).on('close', stop)
}

/** An answer without an exchange. */
const answerShortly = (stream: ServerHttp2Stream, status: number, message: string): void => {
  stream.respond({ ':status': status, 'content-type': 'text/plain' })
  stream.end(message)
  stream.close(constants.NGHTTP2_NO_ERROR)
}

/** HTTP/2 needs no key to prove that an upgrade was meant; the upstream that speaks HTTP/1.1 does. */
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
