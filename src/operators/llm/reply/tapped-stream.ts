import { type Body, type BodySink, type BufferLease } from '../../../model/exchange/body.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import type { StreamAttributes } from '../../../protocols/llm/chat/codec.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { eventsOf } from './event-readers.ts'
import type { StreamEncoding } from './stream-encoding.ts'
import type { StreamObserver, ObservedBody } from './stream-observer.ts'

/** The encoding of a stream, and what is tapped. */
export interface TappedStreamOptions {
  readonly form: StreamEncoding
  readonly attributes: StreamAttributes
  readonly watch: StreamObserver
  /** Longest event. */
  readonly limitBytes: number
}

/**
 * A stream that passes to the client unchanged, chunk by chunk, and is tapped for its attributes: AWS frames, whose
 * checksums let a client detect an incomplete frame, and events of unknown formats.
 */
export class TappedStream extends PipedBody implements ObservedBody {
  readonly lengthBytes = undefined
  readonly reportsFailure = false
  readonly #source: Body
  readonly #options: TappedStreamOptions

  constructor(source: Body, options: TappedStreamOptions) {
    super()
    this.#source = source
    this.#options = options
  }

  pipe(to: BodySink): void {
    const { form, attributes, watch, limitBytes } = this.#options
    const events = eventsOf(
      form,
      limitBytes,
    )({
      event: (name, data) => {
        attributes.push(name, data)
      },
      broken: () => undefined,
    })
    let hasBegun = false
    this.#source.pipe({
      write: (chunk: Uint8Array, lease?: BufferLease) => {
        if (!hasBegun) watch.began()
        hasBegun = true
        events.push(chunk)
        return to.write(chunk, lease)
      },
      end: (trailers) => {
        this.#end(attributes.isComplete ? 'answered' : 'cut')
        to.end(trailers)
      },
      fail: (fault) => {
        this.#end('cut', fault instanceof Error ? fault.message : undefined)
        to.fail(fault)
      },
      onDrain: (resume) => {
        to.onDrain(resume)
      },
    })
  }

  drop(): void {
    this.abandon()
    this.#source.drop()
  }

  abandon(): void {
    this.#end('abandoned')
  }

  #end(outcome: LlmOutcome, problem?: string): void {
    const { attributes, watch } = this.#options
    watch.ended(attributes.attributes, outcome, problem)
  }
}
