import type { LlmOutcome } from '../../model/llm-usage-record.ts'
import type { ReplyFacts } from '../../protocols/llm/chat/codec.ts'
import type { StreamWatch } from '../backend/llm/stream-watch.ts'

/**
 * Keeps the end of a stream to itself until it is released. An exchange is over when its answer's end is told; but what
 * the provider has finished may still be waiting for guards.
 */
export class HeldWatch implements StreamWatch {
  readonly #watch: StreamWatch
  #end: (() => void) | undefined = undefined
  #isReleased = false

  constructor(watch: StreamWatch) {
    this.#watch = watch
  }

  began(): void {
    this.#watch.began()
  }

  ended(facts: ReplyFacts, outcome: LlmOutcome, problem?: string): void {
    this.#end ??= () => {
      this.#watch.ended(facts, outcome, problem)
    }
    if (this.#isReleased) this.#end()
  }

  /** Tells the end, if it has come; if not, it is told when it comes. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#end?.()
  }
}
