import { type Body, type BodySink, type Loan } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import type { StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { PipedBody } from '../../body/piped-body.ts'
import { awsEvents } from './event-sources.ts'
import type { StreamWatch, WatchedBody } from './stream-watch.ts'

/**
 * A stream of AWS frames that goes to its client as it came, and tells on its way what it says of itself. Frames carry
 * checksums, so that a client notices by itself if one is not whole.
 */
export class PassedFrames extends PipedBody implements WatchedBody {
  readonly lengthBytes = undefined
  readonly tellsFailure = false
  readonly #source: Body
  readonly #facts: StreamFacts
  readonly #watch: StreamWatch
  readonly #limitBytes: number

  constructor(source: Body, facts: StreamFacts, watch: StreamWatch, limitBytes: number) {
    super()
    this.#source = source
    this.#facts = facts
    this.#watch = watch
    this.#limitBytes = limitBytes
  }

  pipe(to: BodySink): void {
    const events = awsEvents(this.#limitBytes)({
      event: (name, data) => {
        this.#facts.push(name, data)
      },
      broken: () => undefined,
    })
    let hasBegun = false
    this.#source.pipe({
      write: (chunk: Uint8Array, loan?: Loan) => {
        if (!hasBegun) this.#watch.began()
        hasBegun = true
        events.push(chunk)
        return to.write(chunk, loan)
      },
      end: (trailers) => {
        this.#end(this.#facts.isComplete ? 'answered' : 'cut')
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
    this.#watch.ended(this.#facts.facts, outcome, problem)
  }
}
