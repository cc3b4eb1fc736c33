import type { BodySink } from '../../../model/exchange/body.ts'
import type { Fault } from '../../../model/exchange/fault.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import { HttpServerRequest } from '../http/http-request.ts'
import { responseMalformed, messageTooLarge } from '../http/faults.ts'
import { codingOf, contentTypeOf } from '../http/headers.ts'
import type { HttpTransportLimits } from '../http/limits.ts'
import { ServerRefused } from '../http-status-error.ts'
import type { RequestContext, ServerReply, ServerRequest } from '../transport.ts'

/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1
/** Ids that are valid in a header. */
const sendableId = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/

/** Options and events of an event stream. */
export interface StreamPurpose {
  readonly server: string
  readonly limits: HttpTransportLimits
  readonly context: RequestContext
  /** The GET that opens it, or resumes it after this event. */
  request(lastEventId: string | undefined): ServerRequest
  /** Whether to reopen it after a connection ended. `quiet` connections in a row brought no event. */
  opensAgain(lastEventId: string | undefined, quiet: number): boolean
  message(text: string): void
  /** The server closed the stream regularly after stating a retry delay. */
  pausing?(retryMs: number): void
  /** The stream ended. No fault: it ended regularly. Not called after `stop`. */
  over(fault: Fault | undefined): void
}

/** One stream of events over any number of connections. */
export class StreamableHttpStream implements BodySink {
  readonly #purpose: StreamPurpose
  #httpRequest: HttpServerRequest | undefined = undefined
  #parser: EventParser | undefined = undefined
  #timer: NodeJS.Timeout | undefined = undefined
  #lastEventId: string | undefined = undefined
  #retryMs: number | undefined = undefined
  /** Connections in a row without events. */
  #quiet = 0
  #isAccepted = false
  #isStopped = false

  constructor(purpose: StreamPurpose) {
    this.#purpose = purpose
  }

  /** Opens it with its own request. */
  open(): void {
    const { server, limits, context } = this.#purpose
    const request = this.#purpose.request(this.#lastEventId)
    this.#httpRequest = new HttpServerRequest(server, limits, {
      accepted: (reply) => this.#accepted(reply),
      failed: (fault) => this.#failed(fault),
    })
    this.#httpRequest.send(request, context)
  }

  /** Takes over a stream that is the response to a request. */
  take(reply: ServerReply, httpRequest: HttpServerRequest): void {
    const { server, limits } = this.#purpose
    this.#httpRequest = httpRequest
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

  /** Cancels the stream. */
  stop(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#httpRequest?.stop()
  }

  /** Ignores the rest of a stream that is about to end by itself, which keeps its connection usable. */
  stopSoon(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#httpRequest?.stop(), this.#purpose.limits.restMs).unref()
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
    // `write` never pauses its source: messages are forwarded at once, and buffers for clients are bounded there.
  }

  #accepted(reply: ServerReply): void {
    const type = contentTypeOf(reply.headers)
    const coding = codingOf(reply.headers)
    if (type === 'text/event-stream' && !coding && this.#httpRequest) this.take(reply, this.#httpRequest)
    else {
      reply.body.drop()
      this.#end(
        responseMalformed(this.#purpose.server, `sent ${coding ?? type ?? 'nothing'} for an event stream`),
      )
    }
  }

  #event(event: string | undefined, data: string): void {
    // The rest of a chunk still comes after the stream was stopped.
    if (this.#isStopped) return
    this.#quiet = 0
    // An event may have only an id.
    if (data !== '' && (event === undefined || event === 'message')) this.#purpose.message(data)
  }

  #failed(fault: Fault): void {
    // A server that was reached may come back; one that never was reached, or refuses, has failed.
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
    this.#httpRequest = undefined
    if (!this.#purpose.opensAgain(this.#lastEventId, this.#quiet)) {
      this.#end(fault)
      return
    }
    if (fault === undefined && this.#retryMs !== undefined) this.#purpose.pausing?.(this.#retryMs)
    this.#timer = setTimeout(() => this.open(), this.#delayMs())
    this.#quiet++
  }

  /** Never earlier than the server stated; later after connections without events. */
  #delayMs(): number {
    const { reconnectMs, reconnectMostMs } = this.#purpose.limits
    // A server that states 0 and closes at once must not cause a busy loop.
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
