import type { LlmOutcome } from '../../../../model/llm/usage-record.ts'
import type { ReplyAttributes } from '../../../../protocols/llm/chat/codec.ts'
import type { StreamObserver } from '../../reply/stream-observer.ts'

/**
 * Defers the end of a stream until it is released. The end completes the exchange; but what the provider has finished
 * may still be pending for guards.
 */
export class DeferredEnd implements StreamObserver {
  readonly #watch: StreamObserver
  #end: (() => void) | undefined = undefined
  #isReleased = false

  constructor(watch: StreamObserver) {
    this.#watch = watch
  }

  began(): void {
    this.#watch.began()
  }

  ended(attributes: ReplyAttributes, outcome: LlmOutcome, problem?: string): void {
    this.#end ??= () => {
      this.#watch.ended(attributes, outcome, problem)
    }
    if (this.#isReleased) this.#end()
  }

  /** Reports the end now, or when it occurs. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#end?.()
  }
}
