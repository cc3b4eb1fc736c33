import type { Readable } from 'node:stream'
import { type Body, type BodySink, type Loan } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { collect } from '../../body/collect.ts'
import { readableOf } from '../../body/readable.ts'
import type { WatchedBody } from './stream-watch.ts'
import { WholeFacts } from './whole-facts.ts'

/** Is told what an answer says of itself, and how it ended. */
export type Ended = (said: JsonObject | undefined, outcome: LlmOutcome, problem?: string) => void

/** A JSON answer that goes to the client as it came, and tells on its way what it says of itself. */
export class PassedWhole implements WatchedBody {
  readonly tellsFailure = false
  readonly #source: Body
  readonly #ended: Ended
  readonly #wholeBytes: number | undefined
  #isOver = false

  /** @param wholeBytes Up to which size an answer is told as a whole. */
  constructor(source: Body, ended: Ended, wholeBytes?: number) {
    this.#source = source
    this.#ended = ended
    this.#wholeBytes = wholeBytes
  }

  get lengthBytes(): number | undefined {
    return this.#source.lengthBytes
  }

  get knownTrailers(): readonly string[] | undefined {
    return this.#source.knownTrailers
  }

  pipe(to: BodySink): void {
    this.#source.pipe(
      new Overhearing(to, this.#wholeBytes, (said, outcome, problem) => {
        this.#end(said, outcome, problem)
      }),
    )
  }

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  drop(): void {
    this.abandon()
    this.#source.drop()
  }

  /** Nobody reads any more, and nothing follows. */
  abandon(): void {
    this.#end(undefined, 'abandoned')
  }

  source(): Readable {
    return readableOf(this)
  }

  #end(said: JsonObject | undefined, outcome: LlmOutcome, problem?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended(said, outcome, problem)
  }
}

class Overhearing implements BodySink {
  readonly #to: BodySink
  readonly #facts: WholeFacts
  readonly #ended: Ended

  constructor(to: BodySink, wholeBytes: number | undefined, ended: Ended) {
    this.#to = to
    this.#facts = new WholeFacts(wholeBytes)
    this.#ended = ended
  }

  write(chunk: Uint8Array, loan?: Loan): boolean {
    this.#facts.push(chunk)
    return this.#to.write(chunk, loan)
  }

  end(trailers?: readonly string[]): void {
    this.#ended(this.#facts.read(), 'answered')
    this.#to.end(trailers)
  }

  fail(fault: unknown): void {
    this.#ended(undefined, 'cut', fault instanceof Error ? fault.message : 'it broke off')
    this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#to.onDrain(resume)
  }
}
