import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Fault } from '../model/fault.ts'
import { readResponseHead } from '../protocols/http/response-head.ts'
import { AnswerBody } from './answer-body.ts'
import { answerTrailers } from './answer-trailers.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from './call.ts'
import {
  abandoned,
  codeOf,
  connectFault,
  malformedAnswer,
  requestBodyBroken,
  upstreamFault,
} from './fault.ts'
import type { Carried, PooledClient } from './pooled-client.ts'

/**
 * Sends a request through a pool of HTTP/1.1 connections.
 *
 * If the connection had answered before and closes without a word on this request, it was stale, and the request is
 * sent again, provided that its body is at hand as a whole: at once if sending twice does no harm, else only if the
 * connection closed so soon that the request can hardly have been worked on.
 */
export const callHttp = (pool: Dispatcher, request: UpstreamRequest, events: UpstreamEvents): UpstreamCall =>
  new HttpCall(pool, request, events).send()

/** Resends after which a request is given up: as many stale connections in a row mean something else is wrong. */
const RESENDS = 3
/** A body that streams in is kept up to this size, for the case that its connection is stale. */
const KEPT_BYTES = 65_536
/** How long after it was written a request may fail and still count as unprocessed if it must not run twice. */
const UNPROCESSED_MS = 250
const STALE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'])

/** Handler of one dispatch and body of its answer in one object: a request makes one allocation here, and its options. */
class HttpCall extends AnswerBody implements Dispatcher.DispatchHandler, UpstreamCall, Carried {
  client: PooledClient | undefined = undefined
  readonly #pool: Dispatcher
  readonly #options: Dispatcher.DispatchOptions
  readonly #events: UpstreamEvents
  #controller: Dispatcher.DispatchController | undefined = undefined
  /** The first byte of an answer has come. */
  #answering = false
  /** No event may follow. */
  #over = false
  #resends = 0
  #writtenAt = 0
  /** What was streamed so far; undefined if the connection is new, or the body too long. */
  #kept: Buffer[] | undefined = undefined

  constructor(pool: Dispatcher, request: UpstreamRequest, events: UpstreamEvents) {
    super()
    this.#pool = pool
    this.#events = events
    const body = request.body.source()
    // undici listens only as long as it sends; a client that breaks off after that must not end the process.
    if (body instanceof Readable) body.on('error', () => undefined)
    this.#options = {
      path: request.target,
      method: request.method,
      headers: request.headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Pipelining is off, so nothing has to be held back; each of these saves work that undici does otherwise.
      blocking: false,
      servername: SERVER_NAME,
    } as Dispatcher.DispatchOptions
  }

  send(): this {
    this.#pool.dispatch(this.#options, this)
    return this
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#over) controller.abort(abandoned)
    else if (this.client?.answered) this.#doubt()
  }

  onResponseStarted(): void {
    this.#answering = true
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
      this.#fail(malformedAnswer(head.message))
      controller.abort(abandoned)
      return
    }
    if (status < 200) {
      this.#events.info(status, head.headers)
      return
    }
    const bodiless = this.#options.method === 'HEAD' || status === 204 || status === 304
    this.lengthBytes = bodiless ? 0 : head.contentLength
    if (!bodiless) this.client?.socket?.bodyBegins()
    this.#events.head(status, head.headers, this, raw)
    if (!this.used) controller.pause()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // After a pause undici may hand over nothing; forwarding that is a system call of its own.
    if (chunk.length > 0) this.push(chunk, this.client?.socket?.loanOf(chunk))
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.client) {
      this.client.answered = true
      this.client.socket?.bodyEnded()
    }
    if (this.#over) return
    this.#over = true
    const raw = controller.rawTrailers as Buffer[] | null | undefined
    const trailers = raw?.length ? answerTrailers(raw.map(latin1)) : undefined
    if (this.complete(trailers)) this.#events.end(trailers)
    else this.whenTaken(() => this.#events.end(trailers))
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#over) return
    if (this.#isStale(error)) {
      this.#resends++
      if (this.#kept) this.#options.body = Buffer.concat(this.#kept)
      this.#controller = undefined
      // Not on undici's stack, which is busy with closing the connection; and other stale ones may show by then.
      setImmediate(() => {
        if (!this.#over) this.send()
      })
      return
    }
    const { body } = this.#options
    if (!this.#controller) this.#fail(connectFault(error))
    else if (body instanceof Readable && isEndOf(body, error)) this.#fail(requestBodyBroken(error))
    else this.#fail(upstreamFault(error))
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.giveUp()
  }

  protected override pause(): void {
    this.#controller?.pause()
  }

  protected override resume(): void {
    this.#controller?.resume()
  }

  protected override letGo(): void {
    this.#controller?.abort(abandoned)
  }

  /** Nobody wants the rest: the connection is given up, and the call has ended as far as anybody cares. */
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
    if (!this.#controller || this.#answering || !client?.answered || this.#resends === RESENDS) return false
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

/** The name asked for in TLS belongs to the pool; without one undici would derive it from each request's host. */
const SERVER_NAME = 'pool'

/** Whether a request's own body is what broke: it carries the error, or was destroyed before its end. */
const isEndOf = (body: Readable, error: Error): boolean =>
  body.errored === error || ('code' in error && error.code === 'UND_ERR_ABORTED')

const latin1 = (part: Buffer): string => part.toString('latin1')
