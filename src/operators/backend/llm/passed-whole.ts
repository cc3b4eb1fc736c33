import type { Body, BodySink, Loan } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import { PassingSink } from '../../../model/passing-sink.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { PassingBody } from '../../body/passing-body.ts'
import type { WatchedBody } from './stream-watch.ts'
import { WholeFacts } from './whole-facts.ts'

/** Is told what an answer says of itself, and how it ended. */
export type Ended = (said: JsonObject | undefined, outcome: LlmOutcome, problem?: string) => void

/** A JSON answer that goes to the client as it came, and tells on its way what it says of itself. */
export class PassedWhole extends PassingBody implements WatchedBody {
  readonly tellsFailure = false
  readonly #ended: Ended
  readonly #allBytes: number | undefined
  #isOver = false

  /** @param allBytes Up to which size all of an answer is told, not only what it says of itself. */
  constructor(source: Body, ended: Ended, allBytes?: number) {
    super(source)
    this.#ended = ended
    this.#allBytes = allBytes
  }

  pipe(to: BodySink): void {
    this.body.pipe(
      new Overhearing(to, this.lengthBytes, this.#allBytes, (said, outcome, problem) => {
        this.#end(said, outcome, problem)
      }),
    )
  }

  override drop(): void {
    this.abandon()
    super.drop()
  }

  /** Nobody reads any more, and nothing follows. */
  abandon(): void {
    this.#end(undefined, 'abandoned')
  }

  #end(said: JsonObject | undefined, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended(said, outcome, problem)
  }
}

class Overhearing extends PassingSink {
  readonly #facts: WholeFacts
  readonly #lengthBytes: number | undefined
  readonly #ended: Ended

  constructor(to: BodySink, lengthBytes: number | undefined, allBytes: number | undefined, ended: Ended) {
    super(to)
    this.#lengthBytes = lengthBytes
    this.#facts = new WholeFacts(allBytes)
    this.#ended = ended
  }

  override write(chunk: Uint8Array, loan?: Loan): boolean {
    if (chunk.length === this.#lengthBytes) this.#facts.all(chunk)
    else this.#facts.push(chunk)
    return this.to.write(chunk, loan)
  }

  override end(trailers?: readonly string[]): void {
    this.#ended(this.#facts.read(), 'answered')
    this.to.end(trailers)
  }

  override fail(fault: unknown): void {
    this.#ended(undefined, 'cut', fault instanceof Error ? fault.message : 'it broke off')
    this.to.fail(fault)
  }
}
