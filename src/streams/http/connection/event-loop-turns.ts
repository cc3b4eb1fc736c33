import { performance } from 'node:perf_hooks'

/** Work that is queued for a turn and done in one step. */
export interface Waiting {
  takeTurn(): void
}

/** Time for all steps of one turn of the event loop, in milliseconds. */
const TURN_MS = 5

/**
 * Shares the event loop among connections that have more work than one turn should take. Each gets one step at a time,
 * round robin; the rest is scheduled for the next turn, behind newly arrived events.
 */
export class Turns {
  readonly #waiting: Waiting[] = []
  #isScheduled = false
  /** Number of the turn; once read, it changes with the next turn. */
  #current = 0
  #isCounting = false

  /** Identifies the current turn of the event loop. */
  get current(): number {
    if (!this.#isCounting) {
      this.#isCounting = true
      setImmediate(() => {
        this.#isCounting = false
        this.#current++
      })
    }
    return this.#current
  }

  /** Queues one step behind those already queued. */
  wait(one: Waiting): void {
    this.#waiting.push(one)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isScheduled = false
    const endsAt = performance.now() + TURN_MS
    for (let one = this.#waiting.shift(); one; one = this.#waiting.shift()) {
      one.takeTurn()
      if (performance.now() >= endsAt) break
    }
    if (this.#waiting.length > 0) this.#schedule()
  }
}
