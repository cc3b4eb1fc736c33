import type { Body, Loan } from '../../../model/body.ts'
import type { LlmError } from '../../../protocols/llm/error.ts'
import type { ReplyFacts, StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { EventCutter, eventsIn } from '../../../protocols/sse/event-cutter.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import { asBuffer } from '../../body/as-buffer.ts'
import { faultError } from './fault-error.ts'
import type { StreamWatch } from './stream-watch.ts'
import { WatchedStream } from './watched-stream.ts'

/** What a stream in the client's own format is passed on with. */
export interface PassedStreamOptions {
  readonly facts: StreamFacts
  readonly watch: StreamWatch
  /** Longest event. */
  readonly limitBytes: number
  /** What the client is to see of events; undefined: all. */
  readonly show: ((events: Buffer) => Buffer) | undefined
  /** An error as whole events of the client's format. */
  readonly encodeError: (error: LlmError) => string
}

/**
 * A stream of events that goes to its client as it came, whole events at a time, looked at on the way. Only events that
 * say something about usage are decoded. If it breaks off, the client is told so in its own format: never half an event,
 * and never an end that looks like a good one.
 */
export class PassedStream extends WatchedStream {
  readonly #options: PassedStreamOptions
  readonly #cutter: EventCutter
  readonly #parser: EventParser

  constructor(source: Body, options: PassedStreamOptions) {
    super(source, options.watch)
    this.#options = options
    this.#cutter = new EventCutter(options.limitBytes)
    this.#parser = new EventParser(
      {
        event: ({ event, data }) => {
          options.facts.push(event, data)
        },
        overflow: () => undefined, // the cutter has refused what is longer
      },
      options.limitBytes + 1024,
    )
  }

  write(chunk: Uint8Array, loan?: Loan): boolean {
    if (this.isOver) return true
    const bytes = asBuffer(chunk)
    const whole = this.#cutter.push(bytes)
    if (this.#cutter.isOver) {
      this.#break({
        status: 502,
        message: `an event of the stream exceeds the limit of ${String(this.#options.limitBytes)} bytes`,
      })
      return true
    }
    return whole ? this.#pass(whole, whole === bytes ? loan : undefined) : true
  }

  end(trailers?: readonly string[]): void {
    if (this.isOver) return
    const { facts } = this.#options
    const rest = this.#cutter.rest()
    // The last event may lack the blank line behind it.
    if (facts.concerns(rest)) this.#parser.push(Buffer.concat([rest, blankLine]))
    if (!facts.isComplete) {
      this.#break({ status: 502, message: 'the stream ended before its end' })
      return
    }
    if (rest.length) this.#show(rest, undefined)
    this.finish('answered')
    this.to?.end(trailers)
  }

  fail(fault: unknown): void {
    if (this.isOver) return
    if (!this.#options.facts.isComplete) {
      this.#break(faultError(fault))
      return
    }
    // The provider has said all it had to say, be it that something went wrong.
    this.finish('answered')
    this.to?.end()
  }

  protected override factsSoFar(): ReplyFacts {
    return this.#options.facts.facts
  }

  #pass(whole: Buffer, loan: Loan | undefined): boolean {
    const { facts } = this.#options
    this.begin()
    facts.pass?.(whole)
    if (facts.concerns(whole))
      for (const event of eventsIn(whole)) if (facts.concerns(event)) this.#parser.push(event)
    return this.#show(whole, loan)
  }

  #show(whole: Buffer, loan: Loan | undefined): boolean {
    const { show } = this.#options
    this.moved()
    const shown = show ? show(whole) : whole
    if (shown.length === 0) return true
    return this.to?.write(shown, shown === whole ? loan : undefined) ?? true
  }

  /** Of what was held of an event nothing is shown. */
  #break(error: LlmError): void {
    this.to?.write(Buffer.from(this.#options.encodeError(error)))
    this.problem = error.message
    this.finish('cut')
    this.to?.end()
  }
}

const blankLine = Buffer.from('\n\n')
