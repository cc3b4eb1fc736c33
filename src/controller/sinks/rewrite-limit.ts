import { ApiFailure } from '../api/api-failure.ts'

/**
 * How often the same thing is written again: another client has undone it each time, or it was refused. Without a limit,
 * two controllers that disagree would keep the API server busy. What is wanted anew has its own allowance, and what is no
 * longer wanted is forgotten.
 */
export class RewriteLimit<Item extends object> {
  readonly #now: () => number
  readonly #budgets = new WeakMap<Item, Budget>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a write; a failure instead if there were too many. */
  admit(item: Item): ApiFailure | undefined {
    const now = this.#now()
    const before = this.#budgets.get(item) ?? { writes: BURST, at: now }
    const writes = Math.min(BURST, before.writes + (now - before.at) / REFILL_MS)
    this.#budgets.set(item, { writes: writes >= 1 ? writes - 1 : writes, at: now })
    return writes >= 1
      ? undefined
      : new ApiFailure(
          0,
          'Contended',
          'it was written too often: another client changes it again and again, or it is refused',
          {
            retryAfterMs: (1 - writes) * REFILL_MS,
          },
        )
  }

  /** Takes a write back: it changed nothing. */
  refund(item: Item): void {
    const budget = this.#budgets.get(item)
    if (budget) budget.writes += 1
  }
}

interface Budget {
  writes: number
  readonly at: number
}

const BURST = 10
const REFILL_MS = 10_000
