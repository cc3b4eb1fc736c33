import { type Body, type BodySink, type Loan } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import type { StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { eventsOf } from './event-sources.ts'
import type { StreamForm } from './open-stream.ts'
import type { StreamWatch, WatchedBody } from './stream-watch.ts'

/** In what form a stream is, and what is listened for. */
export interface OverheardOptions {
  readonly form: StreamForm
  readonly facts: StreamFacts
  readonly watch: StreamWatch
  /** Longest event. */
  readonly limitBytes: number
}

/**
 * A stream that goes to its client chunk by chunk as it came, and tells on its way what it says of itself: frames of AWS,
 * which carry checksums, so that a client notices by itself if one is not whole, and events of which nobody knows more.
 */
export class OverheardStream extends PipedBody implements WatchedBody {
  readonly lengthBytes = undefined
  readonly tellsFailure = false
  readonly #source: Body
  readonly #options: OverheardOptions

  constructor(source: Body, options: OverheardOptions) {
    super()
    this.#source = source
    this.#options = options
  }

  pipe(to: BodySink): void {
    const { form, facts, watch, limitBytes } = this.#options
    const events = eventsOf(
      form,
      limitBytes,
    )({
      event: (name, data) => {
        facts.push(name, data)
      },
      broken: () => undefined,
    })
    let hasBegun = false
    this.#source.pipe({
      write: (chunk: Uint8Array, loan?: Loan) => {
        if (!hasBegun) watch.began()
        hasBegun = true
        events.push(chunk)
        return to.write(chunk, loan)
      },
      end: (trailers) => {
        this.#end(facts.isComplete ? 'answered' : 'cut')
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
    const { facts, watch } = this.#options
    watch.ended(facts.facts, outcome, problem)
  }
}
