import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { LoadBalancing } from './schema/normal-form.ts'
import { hashText, rendezvousWeight } from './rendezvous-hash.ts'
import { type Choice, weightAt } from './choice.ts'
import { SmoothWeights } from './smooth-weights.ts'

/** Chooses among endpoints that can all be used. */
export interface Balancer {
  /**
   * @param x The exchange that it is chosen for, if any.
   * @returns Undefined if there are none.
   */
  pick<C extends Choice>(candidates: readonly C[], now: number, x: Exchange | undefined): C | undefined
}

/** The better of two drawn at random (power of two choices); weights do not count. */
export class BetterOfTwo implements Balancer {
  readonly #random: () => number

  /** @param random Gives 0 ≤ number < 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  pick<C extends Choice>(candidates: readonly C[], now: number): C | undefined {
    const count = candidates.length
    if (count < 2) return candidates[0]
    const first = Math.floor(this.#random() * count)
    // Drawn from the others, so that the two are never the same.
    const draw = Math.floor(this.#random() * (count - 1))
    const a = candidates[first] as C
    const b = candidates[draw < first ? draw : draw + 1] as C
    return scoreOf(b, now) > scoreOf(a, now) ? b : a
  }
}

const scoreOf = ({ health }: Choice, now: number): number => health.score(now) * health.strength(now)

/** Weighted round robin. */
export class RoundRobin implements Balancer {
  readonly #weights = new SmoothWeights()

  pick<C extends Choice>(candidates: readonly C[], now: number): C | undefined {
    return this.#weights.pick(candidates, (one) => weightAt(one, now))
  }
}

/** The one with the fewest calls under way in proportion to its weight; round robin among equals. */
export class LeastRequest implements Balancer {
  readonly #roundRobin = new RoundRobin()

  pick<C extends Choice>(candidates: readonly C[], now: number): C | undefined {
    let fewest: C[] = []
    let least = Infinity
    for (const one of candidates) {
      const load = one.health.pending / weightAt(one, now)
      if (load > least) continue
      if (load < least) fewest = []
      least = load
      fewest.push(one)
    }
    return this.#roundRobin.pick(fewest, now)
  }
}

/** Weighted random. */
export class WeightedRandom implements Balancer {
  readonly #random: () => number

  /** @param random Gives 0 ≤ number < 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  pick<C extends Choice>(candidates: readonly C[], now: number): C | undefined {
    const total = candidates.reduce((sum, one) => sum + weightAt(one, now), 0)
    let remaining = this.#random() * total
    return candidates.find((one) => (remaining -= weightAt(one, now)) < 0) ?? candidates.at(-1)
  }
}

/**
 * The one that a key maps to (rendezvous hashing): calls with equal keys stay together, and when an endpoint is removed
 * only its keys move. Calls without a key use another balancer.
 */
export class ByKey implements Balancer {
  readonly #key: Evaluate
  readonly #otherwise: Balancer

  /** @param key Evaluates to a string; anything else is no key. */
  constructor(key: Evaluate, otherwise: Balancer) {
    this.#key = key
    this.#otherwise = otherwise
  }

  pick<C extends Choice>(candidates: readonly C[], now: number, x: Exchange | undefined): C | undefined {
    const result = x && candidates.length > 1 ? this.#key(x) : undefined
    if (!result || !('value' in result) || typeof result.value !== 'string')
      return this.#otherwise.pick(candidates, now, x)
    return ownerOf(candidates, hashText(result.value))
  }
}

/** The candidate that a key belongs to. Each owns as many keys as its weight demands. */
export const ownerOf = <C extends Pick<Choice, 'seed' | 'weight'>>(
  candidates: readonly C[],
  key: number,
): C | undefined => {
  let owner: C | undefined
  let highest = -1
  for (const candidate of candidates) {
    const share = shareOf(rendezvousWeight(key, candidate.seed), candidate.weight)
    if (share <= highest) continue
    highest = share
    owner = candidate
  }
  return owner
}

/**
 * Among draws scaled so, each is the highest as often as its weight demands. Equal weights keep the order of the draws.
 */
const shareOf = (draw: number, weight = 1): number => -weight / Math.log((draw + 0.5) / 2 ** 32)

/**
 * The balancer of a configuration.
 *
 * @param usual The default.
 * @param key Compiles an expression whose value becomes a string.
 */
export const balancerOf = (
  configured: LoadBalancing | undefined,
  usual: Balancer,
  random: () => number,
  key: (expression: string) => Evaluate,
): Balancer => {
  if (!configured) return usual
  if ('roundRobin' in configured) return new RoundRobin()
  if ('leastRequest' in configured) return new LeastRequest()
  if ('random' in configured) return new WeightedRandom(random)
  return new ByKey(key(configured.ringHash.key), usual)
}
