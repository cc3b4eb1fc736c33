import type { Admission as Limits } from '../../model/frontend-policies.ts'
import { EventLoopLag } from './event-loop-lag.ts'

/** Counts the exchanges of the process, and says when they are too many or the process too slow for another one. */
export class Admission {
  inFlight = 0
  readonly lag = new EventLoopLag()
  #maxExchanges = Infinity

  set limits(limits: Limits) {
    this.#maxExchanges = limits.maxExchanges
    this.lag.limitMs = limits.lagMs
    this.lag.forMs = limits.lagForMs
  }

  /** Whether the exchange that was counted last is one too many. */
  get isOverloaded(): boolean {
    return this.inFlight > this.#maxExchanges || this.lag.tooMuch
  }
}
