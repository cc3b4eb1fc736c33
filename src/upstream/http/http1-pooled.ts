import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Body } from '../../model/exchange/body.ts'
import type { Fault } from '../../model/exchange/fault.ts'
import { readResponseHead } from '../../protocols/http/response-head.ts'
import { ResponseBody } from './response/response-body.ts'
import type { ResponseHeadWaiter } from './response/response-heads.ts'
import { responseTrailers } from './response/response-trailers.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import {
  abandoned,
  brokeRequestBody,
  codeOf,
  connectFault,
  malformedResponse,
  requestBodyBroken,
  upstreamFault,
} from '../faults.ts'
import { InformationalLimit } from './response/informational.ts'
import type { Carried, PooledClient } from './pooled-client.ts'
import { SharedBody } from './shared-body.ts'

/**
 * Sends a request through a pool of HTTP/1.1 connections.
 *
 * If the connection has served a response before and closes without one to this request, it was stale, and the request
 * is sent again, provided that its body is buffered as a whole: at once if the method is idempotent, else only if the
 * connection closed so soon that the request can hardly have been processed.
 */
export const callHttp = (pool: Dispatcher, request: UpstreamRequest, events: UpstreamEvents): UpstreamCall =>
  new HttpCall(pool, request, events).send()

/** Resends after which a request fails: as many stale connections in a row have another cause. */
const RESENDS = 3
/** A streamed body is buffered up to this size, in case its connection is stale. */
const KEPT_BYTES = 65_536
/** How long after it was written a request may fail and still count as unprocessed, if it is not idempotent. */
const UNPROCESSED_MS = 250
const STALE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'])

/** Handler of one dispatch and body of its response: a request allocates only this object and its options. */
class HttpCall
  extends ResponseBody
  implements Dispatcher.DispatchHandler, UpstreamCall, Carried, ResponseHeadWaiter
{
  client: PooledClient | undefined = undefined
  readonly #pool: Dispatcher
  readonly #body: Body
  readonly #options: Dispatcher.DispatchOptions
  readonly #events: UpstreamEvents
  #controller: Dispatcher.DispatchController | undefined = undefined
  /** The first byte of a response was received. */
  #isResponding = false
  /** No event may follow. */
  #over = false
  #resends = 0
  #informational: InformationalLimit | undefined = undefined
  #writtenAt = 0
  /** The part of the body streamed so far; undefined if the connection is new, or the body too long. */
  #kept: Buffer[] | undefined = undefined

  constructor(pool: Dispatcher, request: UpstreamRequest, events: UpstreamEvents) {
    super()
    this.#pool = pool
    this.#body = request.body
    this.#events = events
    const body = request.body.source()
    // undici listens only while it sends; a client that breaks off after that must not end the process.
    if (body instanceof Readable) body.on('error', () => undefined)
    this.#options = {
      path: request.target,
      method: request.method,
      headers: request.headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Pipelining is off, so no request has to wait; each of these saves work that undici does otherwise.
      blocking: false,
      servername: SERVER_NAME,
    } as Dispatcher.DispatchOptions
  }

  send(): this {
    this.#pool.dispatch(this.#options, this)
    return this
  }

  get takenBody(): UpstreamCall['takenBody'] {
    return this.#options.body as Readable | Buffer | null
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) controller.abort(abandoned)
    else {
      this.client?.heads?.await(this)
      if (this.client?.hasResponded) this.#doubt()
    }
  }

  informed(status: number, fields: readonly string[], resume: () => void): boolean {
    this.#isResponding = true
    if (this.#over) return true
    const head = readResponseHead(status, fields)
    const fault =
      'refused' in head
        ? malformedResponse(head.message)
        : (this.#informational ??= new InformationalLimit()).exceeded(fields)
    if (fault) {
      this.spoiled(fault)
      return true
    }
    // `100 Continue` is not awaited: the gateway has sent the body without it.
    if (status === 100 || 'refused' in head) return true
    return this.#events.info(status, head.headers, resume)
  }

  spoiled(fault: Fault): void {
    if (this.#over) return
    this.#fail(fault)
    this.client?.heads?.abandon()
    this.releaseConnection()
  }

  onResponseStarted(): void {
    this.#isResponding = true
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    parsed: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#over) return
    const raw = controller.rawHeaders as Buffer[]
    const head = readResponseHead(status, raw, parsed)
    if ('refused' in head) {
      this.#fail(malformedResponse(head.message))
      controller.abort(abandoned)
      return
    }
    if (status < 200) {
      // A connection whose heads its client reads cannot be paused; their number is limited all the same.
      this.informed(status, head.headers, () => undefined)
      return
    }
    const bodiless = this.#options.method === 'HEAD' || status === 204 || status === 304
    this.lengthBytes = bodiless ? 0 : head.contentLength
    if (!bodiless) this.client?.socket?.bodyBegins()
    this.#events.head(status, head.headers, this, raw)
    if (!this.used) controller.pause()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // After a pause undici may pass an empty chunk; forwarding that is a system call of its own.
    if (chunk.length > 0) this.push(chunk, this.client?.socket?.leaseOf(chunk))
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.client) {
      this.client.hasResponded = true
      this.client.socket?.bodyEnded()
    }
    if (this.#over) return
    this.#over = true
    const raw = controller.rawTrailers as Buffer[] | null | undefined
    const trailers = raw?.length ? responseTrailers(raw.map((part) => part.toString('latin1'))) : undefined
    if (this.complete(trailers)) this.#events.end(trailers)
    else this.whenTaken(() => this.#events.end(trailers))
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#over) return
    if (this.#isStale(error)) {
      this.#resends++
      const kept = this.#kept && (this.#options.body = Buffer.concat(this.#kept))
      if (kept && this.#body instanceof SharedBody) this.#body.restore(kept)
      this.#controller = undefined
      // Not on undici's stack, which is busy closing the connection; and further stale ones may be detected by then.
      setImmediate(() => {
        if (!this.#over) this.send()
      })
      return
    }
    if (!this.#controller) this.#fail(connectFault(error))
    else if (brokeRequestBody(this.#options.body, error)) this.#fail(requestBodyBroken(error))
    else this.#fail(upstreamFault(error))
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.abandon()
  }

  protected override pause(): void {
    this.#controller?.pause()
  }

  protected override resume(): void {
    this.#controller?.resume()
  }

  protected override releaseConnection(): void {
    this.#controller?.abort(abandoned)
  }

  /** The rest is not needed: destroys the connection; the call has ended for its caller. */
  protected override cut(): void {
    if (this.#over) return
    this.abort()
    queueMicrotask(() => this.#events.end())
  }

  /** The connection may be stale: makes sure that the request can be sent again. */
  #doubt(): void {
    const { body, method } = this.#options
    if (!IDEMPOTENT.has(method)) this.#writtenAt = performance.now()
    if (!(body instanceof Readable)) return
    this.#kept = []
    let sizeBytes = 0
    body.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      if (sizeBytes > KEPT_BYTES) this.#kept = undefined
      else this.#kept?.push(chunk)
    })
  }

  #isStale(error: Error): boolean {
    const { client } = this
    if (!this.#controller || this.#isResponding || !client?.hasResponded || this.#resends === RESENDS)
      return false
    const { body, method } = this.#options
    if (!STALE.has(codeOf(error))) return false
    if (body instanceof Readable && !(body.readableEnded && this.#kept)) return false
    return IDEMPOTENT.has(method) || performance.now() - this.#writtenAt < UNPROCESSED_MS
  }

  #fail(fault: Fault): void {
    this.#over = true
    this.breakOff(fault)
    this.#events.fail(fault)
  }
}

/** The SNI belongs to the pool; without it undici would derive one from each request's host. */
const SERVER_NAME = 'pool'
