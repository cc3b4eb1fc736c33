import { bodyAlreadyUsed, type BodySink } from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { encodeSseComment, encodeSseEvent } from '../../../protocols/sse/encode.ts'
import { PipedBody } from '../../body/piped-body.ts'

/**
 * A body of server-sent events with JSON-RPC messages. It buffers for a slow reader up to a limit; beyond it the stream
 * fails, since no message may be left out.
 */
export class EventStreamBody extends PipedBody {
  readonly lengthBytes = undefined
  readonly #limitBytes: number
  readonly #over: (fault: Fault | undefined) => void
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #sink: BodySink | undefined = undefined
  #paused = false
  #used = false
  #ended = false
  #isOver = false
  #fault: Fault | undefined = undefined
  readonly #resume = (): void => {
    this.#paused = false
    this.#flow()
  }

  /**
   * @param limitBytes Limit of buffered bytes.
   * @param over Called once: all was read, the body was dropped (`undefined`), or it failed.
   */
  constructor(limitBytes: number, over: (fault: Fault | undefined) => void) {
    super()
    this.#limitBytes = limitBytes
    this.#over = over
  }

  /** One message; `event` is the event type that clients of this transport expect. */
  send(json: string, event = 'message', id?: string): void {
    this.#put(encodeSseEvent(id === undefined ? { event, data: json } : { event, id, data: json }))
  }

  /** An event without a message: its id is where to resume, `retryMs` the delay before that. */
  prime(id: string, retryMs: number): void {
    this.#put(encodeSseEvent({ id, retryMs, data: '' }))
  }

  /** A comment that keeps idle connections open. */
  keepAlive(): void {
    if (this.#waiting.length === 0) this.#put(encodeSseComment())
  }

  end(): void {
    this.#ended = true
    this.#flow()
  }

  /** Aborts the stream, so that it does not look complete. */
  fail(fault: Fault): void {
    if (this.#fault) return
    this.#fault = fault
    this.#waiting = []
    this.#sink?.fail(fault)
    this.#finish(fault)
  }

  pipe(to: BodySink): void {
    if (this.#used) throw bodyAlreadyUsed()
    this.#used = true
    if (this.#fault) {
      to.fail(this.#fault)
      return
    }
    this.#sink = to
    this.#flow()
  }

  drop(): void {
    if (this.#used && !this.#sink) return
    this.#used = true
    this.#finish(undefined)
  }

  #put(text: string): void {
    if (this.#ended || this.#fault || (this.#used && !this.#sink)) return
    const bytes = Buffer.from(text)
    if (this.#sink && !this.#paused) {
      this.#write(this.#sink, bytes)
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes > this.#limitBytes) this.fail(tooSlow(this.#limitBytes))
  }

  #flow(): void {
    const sink = this.#sink
    if (!sink) return
    while (!this.#paused) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#waitingBytes -= next.length
      this.#write(sink, next)
    }
    if (this.#ended && !this.#paused && this.#waiting.length === 0) {
      sink.end()
      this.#finish(undefined)
    }
  }

  #write(sink: BodySink, bytes: Buffer): void {
    if (sink.write(bytes)) return
    this.#paused = true
    sink.onDrain(this.#resume)
  }

  #finish(fault: Fault | undefined): void {
    this.#sink = undefined
    this.#waiting = []
    if (this.#isOver) return
    this.#isOver = true
    this.#over(fault)
  }
}

const tooSlow = (limitBytes: number): Fault =>
  new Fault('mcp_client_too_slow', `mcp: more than ${limitBytes} bytes wait for the client`, {
    status: 503,
    reason: 'MCP',
  })
