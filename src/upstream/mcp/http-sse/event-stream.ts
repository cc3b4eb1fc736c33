import type { BodySink } from '../../model/body.ts'
import type { Fault } from '../../model/fault.ts'
import { EventParser } from '../../protocols/sse/event-parser.ts'
import { ServerAsk } from './http-ask.ts'
import { answerMalformed, endpointMissing, messageTooLarge, streamCut } from './http-faults.ts'
import { codingOf, mediaTypeOf } from './http-fields.ts'
import type { HttpWireLimits } from './http-limits.ts'
import { endpointIn } from './legacy-sse-endpoint.ts'
import type { Behalf, ServerReply, ServerRequest } from './wire.ts'

/** Takes what the stream says. */
export interface LegacySseTaker {
  /** Messages go here: path and query, at this one of several places. Told once, before any message. */
  endpoint(path: string, place: string | undefined): void
  message(text: string): void
  /** Nothing more comes. No fault: the server ended it in good order. Not called after `stop`. */
  over(fault: Fault | undefined): void
}

/** The one stream that everything comes by which a server of the older transport says. It is the session. */
export class LegacySseStream implements BodySink {
  readonly #server: string
  readonly #limits: HttpWireLimits
  readonly #request: ServerRequest
  readonly #taker: LegacySseTaker
  readonly #ask: ServerAsk
  readonly #timer: NodeJS.Timeout
  #parser: EventParser | undefined = undefined
  #place: string | undefined = undefined
  #isTold = false
  #isStopped = false

  constructor(server: string, limits: HttpWireLimits, request: ServerRequest, taker: LegacySseTaker) {
    this.#server = server
    this.#limits = limits
    this.#request = request
    this.#taker = taker
    this.#ask = new ServerAsk(server, limits, {
      accepted: (reply, place) => this.#accepted(reply, place),
      failed: (fault) => this.#end(fault),
    })
    const { endpointMs } = limits
    this.#timer = setTimeout(() => this.#end(endpointMissing(server, endpointMs)), endpointMs)
  }

  open(behalf: Behalf): void {
    this.#ask.send(this.#request, behalf)
  }

  /** Nobody wants more of it. */
  stop(): void {
    this.#isStopped = true
    this.#parser = undefined
    clearTimeout(this.#timer)
    this.#ask.stop()
  }

  write(chunk: Uint8Array): boolean {
    this.#parser?.push(chunk)
    return true
  }

  end(): void {
    this.#end(undefined)
  }

  fail(fault: unknown): void {
    this.#end(streamCut(this.#server, fault))
  }

  onDrain(): void {
    // `write` never asks to wait.
  }

  #accepted({ headers, body }: ServerReply, place: string | undefined): void {
    this.#place = place
    const type = mediaTypeOf(headers)
    const coding = codingOf(headers)
    if (type !== 'text/event-stream' || coding) {
      body.drop()
      this.#end(answerMalformed(this.#server, `sent ${coding ?? type ?? 'nothing'} for an event stream`))
      return
    }
    const { messageBytes } = this.#limits
    this.#parser = new EventParser(
      {
        event: ({ event, data }) => this.#event(event, data),
        overflow: () => this.#end(messageTooLarge(this.#server, messageBytes)),
      },
      messageBytes,
    )
    body.pipe(this)
  }

  #event(event: string | undefined, data: string): void {
    // The rest of a chunk still comes after the stream was stopped.
    if (this.#isStopped) return
    if (event === 'endpoint') this.#endpoint(data)
    else if (this.#isTold && (event === undefined || event === 'message')) this.#taker.message(data)
  }

  #endpoint(said: string): void {
    if (this.#isTold) return
    const path = endpointIn(said, this.#request.target)
    if (path === undefined) {
      this.#end(answerMalformed(this.#server, 'named an endpoint that is none'))
      return
    }
    this.#isTold = true
    clearTimeout(this.#timer)
    this.#taker.endpoint(path, this.#place)
  }

  #end(fault: Fault | undefined): void {
    if (this.#isStopped) return
    this.stop()
    this.#taker.over(fault)
  }
}
