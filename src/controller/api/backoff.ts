/** Limits of the delays between attempts. */
export interface BackoffLimits {
  readonly firstMs: number
  readonly maxMs: number
}

/** Delays between attempts: each twice the one before, up to a limit, and jittered so that replicas do not meet. */
export class Backoff {
  readonly #limits: BackoffLimits
  readonly #random: () => number
  #failures = 0

  constructor(limits: BackoffLimits, random: () => number = Math.random) {
    this.#limits = limits
    this.#random = random
  }

  /** Number of failures in a row. */
  get failures(): number {
    return this.#failures
  }

  /**
   * Counts a failure, and gives the delay before the next attempt: between half of the full delay and all of it.
   * `atLeastMs` is for what the server asks for, `atMostMs` for attempts that cost little.
   */
  next(atLeastMs = 0, atMostMs = Infinity): number {
    const { firstMs, maxMs } = this.#limits
    const fullMs = Math.min(maxMs, atMostMs, firstMs * 2 ** this.#failures)
    this.#failures += 1
    return Math.max(atLeastMs, fullMs * (0.5 + this.#random() / 2))
  }

  reset(): void {
    this.#failures = 0
  }
}
