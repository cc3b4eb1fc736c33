import type { BodySink } from '../../model/body.ts'
import type { Fault } from '../../model/fault.ts'
import { EventParser } from '../../protocols/sse/event-parser.ts'
import { ServerAsk } from './http-ask.ts'
import { answerMalformed, messageTooLarge } from './http-faults.ts'
import { codingOf, mediaTypeOf } from './http-fields.ts'
import type { HttpWireLimits } from './http-limits.ts'
import { ServerRefused } from './server-refused.ts'
import type { Behalf, ServerReply, ServerRequest } from './wire.ts'

/** Timers cannot wait longer. */
const LONGEST_MS = 2 ** 31 - 1
/** Ids that can be sent back in a header field. */
const sendableId = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/

/** What an event stream is for. */
export interface StreamPurpose {
  readonly server: string
  readonly limits: HttpWireLimits
  readonly behalf: Behalf
  /** The GET that opens it, or opens it again after the event named. */
  request(lastEventId: string | undefined): ServerRequest
  /** Whether it is worth opening again: asked whenever a connection ended. `quiet` of them in a row brought nothing. */
  opensAgain(lastEventId: string | undefined, quiet: number): boolean
  message(text: string): void
  /** The server hung up in good order, having said when it wants to be asked again. */
  pausing?(retryMs: number): void
  /** Nothing more comes. No fault: it ended in good order. Not called after `stop`. */
  over(fault: Fault | undefined): void
}

/** One stream of events over as many connections as it takes. */
export class StreamableHttpStream implements BodySink {
  readonly #purpose: StreamPurpose
  #ask: ServerAsk | undefined = undefined
  #parser: EventParser | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #lastEventId: string | undefined = undefined
  #retryMs: number | undefined = undefined
  /** Connections in a row that brought nothing. */
  #quiet = 0
  #isAccepted = false
  #isStopped = false

  constructor(purpose: StreamPurpose) {
    this.#purpose = purpose
  }

  /** Opens it by a request of its own. */
  open(): void {
    const { server, limits, behalf } = this.#purpose
    const request = this.#purpose.request(this.#lastEventId)
    this.#ask = new ServerAsk(server, limits, {
      accepted: (reply) => this.#accepted(reply),
      failed: (fault) => this.#failed(fault),
    })
    this.#ask.send(request, behalf)
  }

  /** Goes on with a stream that a request has opened already. */
  take(reply: ServerReply, ask: ServerAsk): void {
    const { server, limits } = this.#purpose
    this.#ask = ask
    this.#isAccepted = true
    const parser = new EventParser(
      {
        event: ({ event, data }) => this.#event(event, data),
        retry: (ms) => {
          this.#retryMs = ms
        },
        overflow: () => this.#end(messageTooLarge(server, limits.messageBytes)),
      },
      limits.messageBytes,
    )
    this.#parser = parser
    reply.body.pipe(this)
  }

  /** Nobody wants more of it. */
  stop(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#ask?.stop()
  }

  /** Nobody wants more of it, and it is about to end by itself, which leaves its connection usable. */
  stopSoon(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask?.stop(), this.#purpose.limits.restMs).unref()
  }

  write(chunk: Uint8Array): boolean {
    this.#parser?.push(chunk)
    return true
  }

  end(): void {
    this.#parser?.end()
    this.#ended(undefined)
  }

  fail(fault: unknown): void {
    this.#ended(fault as Fault)
  }

  onDrain(): void {
    // `write` never asks to wait: messages go on as they come, and what must wait for a client is bounded there.
  }

  #accepted(reply: ServerReply): void {
    const type = mediaTypeOf(reply.headers)
    const coding = codingOf(reply.headers)
    if (type === 'text/event-stream' && !coding && this.#ask) this.take(reply, this.#ask)
    else {
      reply.body.drop()
      this.#end(
        answerMalformed(this.#purpose.server, `sent ${coding ?? type ?? 'nothing'} for an event stream`),
      )
    }
  }

  #event(event: string | undefined, data: string): void {
    // The rest of a chunk still comes after the stream was stopped.
    if (this.#isStopped) return
    this.#quiet = 0
    // An event may be empty: it is there for its id.
    if (data !== '' && (event === undefined || event === 'message')) this.#purpose.message(data)
  }

  #failed(fault: Fault): void {
    // A server that is gone for a moment may come back; one that never was there, or says no, is what it is.
    if (fault instanceof ServerRefused || !this.#isAccepted) this.#end(fault)
    else this.#ended(fault)
  }

  /** A connection is over. */
  #ended(fault: Fault | undefined): void {
    if (this.#isStopped) {
      clearTimeout(this.#timer)
      return
    }
    const id = this.#parser?.lastEventId
    if (id !== undefined) this.#lastEventId = sendableId.test(id) ? id : undefined
    this.#parser = undefined
    this.#ask = undefined
    if (!this.#purpose.opensAgain(this.#lastEventId, this.#quiet)) {
      this.#end(fault)
      return
    }
    if (fault === undefined && this.#retryMs !== undefined) this.#purpose.pausing?.(this.#retryMs)
    this.#timer = setTimeout(() => this.open(), this.#delayMs())
    this.#quiet++
  }

  /** Never earlier than the server asked for; later if coming back is of no use. */
  #delayMs(): number {
    const { reconnectMs, reconnectMostMs } = this.#purpose.limits
    // A server that says 0 and hangs up at once must not keep two processes busy.
    const firstMs = Math.max(this.#retryMs ?? reconnectMs, Math.min(reconnectMs, 100))
    const mostMs = Math.max(firstMs, reconnectMostMs)
    return Math.min(firstMs * 2 ** Math.min(this.#quiet, 30), mostMs, LONGEST_MS)
  }

  #end(fault: Fault | undefined): void {
    if (this.#isStopped) return
    this.stop()
    this.#purpose.over(fault)
  }
}
