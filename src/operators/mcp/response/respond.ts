import { Observable, type Subscriber } from 'rxjs'
import { BufferBody } from '../../../../model/body.ts'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { Headers } from '../../../../model/headers.ts'
import { Reply } from '../../../../model/reply.ts'
import { encodeMessage, encodeResponse } from '../../../../protocols/json-rpc/encode.ts'
import type { Id } from '../../../../protocols/json-rpc/message.ts'
import { encodeSseEvent } from '../../../../protocols/sse/encode.ts'
import { EventStreamBody } from './event-stream-body.ts'
import { takeDownError } from '../federation/facts.ts'
import { McpRefusal } from './mcp-refusal.ts'
import { errorOf, errorReply, refusalReply } from './fault-answer.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'

/** How an answer is given. */
export interface AnswerOptions {
  /** Further fields of the head: name, value …, asked for when it is made. */
  readonly fields?: (() => readonly string[]) | undefined
  /** HTTP status of an error that a server gave; undefined is 200, in the stream. */
  readonly statusOf?: ((code: number) => number | undefined) | undefined
}

/**
 * Answers a request with what is said about it: an event stream that ends with the outcome. An outcome that comes first
 * and is an error of the gateway's own is a plain JSON answer with a status of its own.
 *
 * Emits the exchange as soon as there is something to say, completes with the last byte.
 */
export const answerWith = (
  x: Exchange,
  id: Id | null,
  messages: Observable<FromServer>,
  options: AnswerOptions = {},
): Observable<Exchange> =>
  new Observable((out) => {
    const answer = new StreamedAnswer(x, out, options)
    out.add(() => answer.stop())
    out.add(
      messages.pipe(takeDownError(x)).subscribe({
        next: (message) => {
          if (!isOutcome(message)) answer.say(encodeMessage(message))
          else answer.last(id, message, options.statusOf)
        },
        error: (fault: unknown) => answer.broke(id, fault),
        complete: () => answer.end(),
      }),
    )
  })

/** One answer in the making. */
export class StreamedAnswer {
  readonly #x: Exchange
  readonly #out: Subscriber<Exchange>
  readonly #options: AnswerOptions
  #body: EventStreamBody | undefined = undefined
  #isOver = false
  /** All of it has been given. */
  #isWhole = false
  readonly #timer: NodeJS.Timeout

  constructor(x: Exchange, out: Subscriber<Exchange>, options: AnswerOptions) {
    this.#x = x
    this.#out = out
    this.#options = options
    this.#timer = setInterval(() => this.#open().keepAlive(), QUIET_MS).unref()
  }

  /** What it answers. */
  get exchange(): Exchange {
    return this.#x
  }

  say(json: string, event?: string, id?: string): void {
    if (!this.#isOver && !this.#isWhole) this.#open().say(json, event, id)
  }

  /** Tells the client where to go on from, should the connection break. */
  prime(id: string, retryMs: number): void {
    if (!this.#isOver) this.#open().prime(id, retryMs)
  }

  /** The outcome. If it comes first, it is the whole answer, which is sent in one piece. */
  last(
    id: Id | null,
    outcome: Parameters<typeof encodeResponse>[1],
    statusOf: AnswerOptions['statusOf'],
  ): void {
    if (this.#isOver) return
    if (this.#body) {
      this.say(encodeResponse(id, outcome))
      this.end()
      return
    }
    const status = 'error' in outcome ? statusOf?.(outcome.error.code) : undefined
    if (status !== undefined) {
      this.#plainly(errorReply(status, id, outcome))
      return
    }
    const event = encodeSseEvent({ event: 'message', data: encodeResponse(id, outcome) })
    this.#isWhole = true
    this.#x.reply = new Reply(200, this.#head(), new BufferBody(event), 'Upstream')
    this.#out.next(this.#x)
  }

  /** What went wrong, in the way that is still open. */
  broke(id: Id | null, fault: unknown): void {
    if (this.#isOver) return
    if (!(fault instanceof Fault)) {
      this.#out.error(fault)
      return
    }
    if (this.#body) {
      this.say(encodeResponse(id, { error: errorOf(fault) }))
      this.end()
      return
    }
    const error = fault instanceof McpRefusal ? fault.error : undefined
    const status = error && this.#options.statusOf?.(error.code)
    this.#plainly(error && status ? errorReply(status, id, { error }) : refusalReply(fault, id))
  }

  /** Opens the stream before there is anything to say. */
  open(): void {
    this.#open()
  }

  end(): void {
    if (this.#isOver) return
    if (!this.#isWhole) {
      this.#open().end()
      return
    }
    // Not before: whoever gave the outcome has not come to its end until now.
    this.stop()
    this.#out.complete()
  }

  stop(): void {
    this.#isOver = true
    clearInterval(this.#timer)
  }

  #plainly(reply: Reply): void {
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
    this.#x.upstreamRepliedAt ||= performance.now()
    return new Headers([...STREAM_FIELDS, ...(this.#options.fields?.() ?? [])])
  }
}

/** After so long without a word the client hears that it is still being served. */
const QUIET_MS = 15_000

/** What may wait for a client that reads slowly. */
const WAITING_LIMIT_BYTES = 16_777_216

/** `x-accel-buffering` keeps proxies in front from holding events back. */
const STREAM_FIELDS = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
]
