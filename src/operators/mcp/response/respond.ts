import { Observable, type Subscriber } from 'rxjs'
import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { encodeMessage, encodeResponse } from '../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../protocols/json-rpc/message.ts'
import { encodeSseEvent } from '../../../protocols/sse/encode.ts'
import { EventStreamBody } from './event-stream-body.ts'
import { recordError } from '../federation/attributes.ts'
import { errorOf, errorReply, McpRefusal, refusalReply } from './json-rpc-error.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'

/** Options of a response. */
export interface RespondOptions {
  /** Further headers: name, value …, evaluated when the head is made. */
  readonly fields?: (() => readonly string[]) | undefined
  /** HTTP status of a server's error; undefined is 200, in the stream. */
  readonly statusOf?: ((code: number) => number | undefined) | undefined
  /** The revision has sessions, which HTTP errors would end: see `SessionErrors`. */
  readonly inSession?: boolean | undefined
}

/**
 * Replies to a request with its messages: an event stream that ends with the outcome. A first outcome that is an error
 * of the gateway is plain JSON with its own status.
 *
 * Emits the exchange with the first message, completes with the last byte.
 */
export const respondWith = (
  x: Exchange,
  id: Id | null,
  messages: Observable<FromServer>,
  options: RespondOptions = {},
): Observable<Exchange> =>
  new Observable((out) => {
    const response = new StreamedResponse(x, out, options)
    out.add(() => response.stop())
    out.add(
      messages.pipe(recordError(x)).subscribe({
        next: (message) => {
          if (!isOutcome(message)) response.send(encodeMessage(message))
          else response.finish(id, message, options.statusOf)
        },
        error: (fault: unknown) => response.fail(id, fault),
        complete: () => response.end(),
      }),
    )
  })

/** A response that is being sent. */
export class StreamedResponse {
  readonly #x: Exchange
  readonly #out: Subscriber<Exchange>
  readonly #options: RespondOptions
  #body: EventStreamBody | undefined = undefined
  #isOver = false
  /** The complete reply has been emitted. */
  #isWhole = false
  readonly #timer: NodeJS.Timeout

  constructor(x: Exchange, out: Subscriber<Exchange>, options: RespondOptions) {
    this.#x = x
    this.#out = out
    this.#options = options
    this.#timer = setInterval(() => this.#open().keepAlive(), QUIET_MS).unref()
  }

  /** The exchange of the response. */
  get exchange(): Exchange {
    return this.#x
  }

  send(json: string, event?: string, id?: string): void {
    if (!this.#isOver && !this.#isWhole) this.#open().send(json, event, id)
  }

  /** Sends the event id to resume from, and the delay. */
  prime(id: string, retryMs: number): void {
    if (!this.#isOver) this.#open().prime(id, retryMs)
  }

  /** Sends the outcome. If it comes first, it is the whole response, sent in one piece. */
  finish(
    id: Id | null,
    outcome: Parameters<typeof encodeResponse>[1],
    statusOf: RespondOptions['statusOf'],
  ): void {
    if (this.#isOver) return
    if (this.#body) {
      this.send(encodeResponse(id, outcome))
      this.end()
      return
    }
    const status = 'error' in outcome ? statusOf?.(outcome.error.code) : undefined
    if (status !== undefined) {
      this.#sendWhole(errorReply(status, id, outcome))
      return
    }
    const event = encodeSseEvent({ event: 'message', data: encodeResponse(id, outcome) })
    this.#isWhole = true
    this.#x.reply = new Reply(200, this.#head(), new BufferBody(event), 'Upstream')
    this.#out.next(this.#x)
  }

  /** Sends an error in the form that is still possible. */
  fail(id: Id | null, fault: unknown): void {
    if (this.#isOver) return
    if (!(fault instanceof Fault)) {
      this.#out.error(fault)
      return
    }
    if (this.#body) {
      this.send(encodeResponse(id, { error: errorOf(fault) }))
      this.end()
      return
    }
    const error = fault instanceof McpRefusal ? fault.error : undefined
    const status = error && this.#options.statusOf?.(error.code)
    this.#sendWhole(
      error && status ? errorReply(status, id, { error }) : refusalReply(fault, id, this.#options.inSession),
    )
  }

  /** Opens the stream before the first message. */
  open(): void {
    this.#open()
  }

  end(): void {
    if (this.#isOver) return
    if (!this.#isWhole) {
      this.#open().end()
      return
    }
    // Only now has the source of the outcome completed.
    this.stop()
    this.#out.complete()
  }

  stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  #sendWhole(reply: Reply): void {
    this.stop()
    this.#x.reply = reply
    this.#out.next(this.#x)
    this.#out.complete()
  }

  #open(): EventStreamBody {
    if (this.#body) return this.#body
    const body = new EventStreamBody(WAITING_LIMIT_BYTES, (fault) => {
      this.stop()
      if (fault) this.#out.error(fault)
      else this.#out.complete()
    })
    this.#body = body
    this.#x.reply = new Reply(200, this.#head(), body, 'Upstream')
    this.#out.next(this.#x)
    return body
  }

  #head(): Headers {
    this.#x.upstream.respondedAt ||= performance.now()
    return new Headers([...STREAM_FIELDS, ...(this.#options.fields?.() ?? [])])
  }
}

/** Interval of keep-alive comments. */
const QUIET_MS = 15_000

/** Buffer limit for slow clients. */
const WAITING_LIMIT_BYTES = 16_777_216

/** `x-accel-buffering` disables buffering in proxies. */
const STREAM_FIELDS = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
]
