import type { Body, BufferLease } from '../../../model/exchange/body.ts'
import type { LlmError } from '../../../protocols/llm/errors/error.ts'
import type { ReplyAttributes, StreamAttributes } from '../../../protocols/llm/chat/codec.ts'
import { EventCutter, eventsIn } from '../../../protocols/sse/event-splitter.ts'
import { EventParser } from '../../../protocols/sse/event-parser.ts'
import { asBuffer } from '../../body/as-buffer.ts'
import { faultError } from '../refusals.ts'
import type { StreamObserver } from './stream-observer.ts'
import { ObservedStream } from './observed-stream.ts'

/** How a stream in the client's own format is passed on. */
export interface PassthroughStreamOptions {
  readonly attributes: StreamAttributes
  readonly watch: StreamObserver
  /** Longest event. */
  readonly limitBytes: number
  /** Filters what the client gets of events; undefined: all. */
  readonly filter: ((events: Buffer) => Buffer) | undefined
  /** An error as whole events of the client's format. */
  readonly encodeError: (error: LlmError) => string
}

/**
 * A stream of events that passes to the client unchanged, whole events at a time, and is tapped. Only events with
 * attributes are decoded. If the stream breaks off, the client gets an error in its own format: never half an event,
 * and never an end that looks successful.
 */
export class PassthroughStream extends ObservedStream {
  readonly #options: PassthroughStreamOptions
  readonly #splitter: EventCutter
  readonly #parser: EventParser

  constructor(source: Body, options: PassthroughStreamOptions) {
    super(source, options.watch)
    this.#options = options
    this.#splitter = new EventCutter(options.limitBytes)
    this.#parser = new EventParser(
      {
        event: ({ event, data }) => {
          options.attributes.push(event, data)
        },
        overflow: () => undefined, // the splitter has rejected longer events
      },
      options.limitBytes + 1024,
    )
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    if (this.isOver) return true
    const bytes = asBuffer(chunk)
    const whole = this.#splitter.push(bytes)
    if (this.#splitter.isOver) {
      this.#break({
        status: 502,
        message: `an event of the stream exceeds the limit of ${String(this.#options.limitBytes)} bytes`,
      })
      return true
    }
    return whole ? this.#pass(whole, whole === bytes ? lease : undefined) : true
  }

  end(trailers?: readonly string[]): void {
    if (this.isOver) return
    const { attributes } = this.#options
    const rest = this.#splitter.rest()
    // The last event may lack its blank line.
    if (attributes.concerns(rest)) this.#parser.push(Buffer.concat([rest, blankLine]))
    if (!attributes.isComplete) {
      this.#break({ status: 502, message: 'the stream ended before its end' })
      return
    }
    if (rest.length) this.#show(rest, undefined)
    this.finish('answered')
    this.to?.end(trailers)
  }

  fail(fault: unknown): void {
    if (this.isOver) return
    if (!this.#options.attributes.isComplete) {
      this.#break(faultError(fault))
      return
    }
    // The provider has sent everything, even if the connection failed afterwards.
    this.finish('answered')
    this.to?.end()
  }

  protected override attributesSoFar(): ReplyAttributes {
    return this.#options.attributes.attributes
  }

  #pass(whole: Buffer, lease: BufferLease | undefined): boolean {
    const { attributes } = this.#options
    this.begin()
    attributes.pass?.(whole)
    if (attributes.concerns(whole))
      for (const event of eventsIn(whole)) if (attributes.concerns(event)) this.#parser.push(event)
    return this.#show(whole, lease)
  }

  #show(whole: Buffer, lease: BufferLease | undefined): boolean {
    const { filter } = this.#options
    this.onWrite()
    const filtered = filter ? filter(whole) : whole
    if (filtered.length === 0) return true
    return this.to?.write(filtered, filtered === whole ? lease : undefined) ?? true
  }

  /** An incomplete event is not sent. */
  #break(error: LlmError): void {
    this.to?.write(Buffer.from(this.#options.encodeError(error)))
    this.problem = error.message
    this.finish('cut')
    this.to?.end()
  }
}

const blankLine = Buffer.from('\n\n')
