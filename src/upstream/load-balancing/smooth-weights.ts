/**
 * Picks one of several in turn, each as often as its weight demands and as evenly as possible: `a` of weight 3 and `b`
 * of weight 1 give a a b a. Equal weights give plain round robin. (Smooth weighted round robin, as in nginx.)
 *
 * The state belongs to the items: lists may differ from pick to pick.
 */
export class SmoothWeights {
  /** The credit of each item. */
  readonly #credit = new WeakMap<object, number>()

  /** @param weightOf Not negative; an item of weight 0 is never picked. */
  pick<T extends object>(items: readonly T[], weightOf: (item: T) => number): T | undefined {
    const credit = this.#credit
    let best: T | undefined
    let most = -Infinity
    let total = 0
    for (const item of items) {
      const weight = weightOf(item)
      if (weight <= 0) continue
      const own = (credit.get(item) ?? 0) + weight
      credit.set(item, own)
      total += weight
      // Weights that change over time leave rounding errors: smaller differences count as equal.
      if (own <= most + ROUNDING) continue
      most = own
      best = item
    }
    if (best) credit.set(best, most - total)
    return best
  }
}

const ROUNDING = 1e-9
