import type { Exchange } from '../../model/exchange/exchange.ts'
import { type Balancer, LeastRequest } from './balancer.ts'
import type { Choice } from './choice.ts'

/** The weight and priority of a choice for one service. */
export interface Rank {
  readonly weight: number
  readonly priority: number
}

/**
 * Gives choices the weights and priorities that they have for one service, and picks among those of the lowest number.
 * Services share endpoints, and so the connections to them: what differs between services cannot be a part of these.
 */
export class RankedBalancer implements Balancer {
  readonly #ranked: ReadonlyMap<Choice, RankedChoice>
  readonly #balancer: Balancer

  /** @param balancer Picks among the choices of one priority. */
  constructor(ranks: readonly (readonly [Choice, Rank])[], balancer: Balancer) {
    this.#ranked = new Map(ranks.map(([choice, rank]) => [choice, new RankedChoice(choice, rank)]))
    this.#balancer = balancer
  }

  pick<C extends Choice>(candidates: readonly C[], now: number, x: Exchange | undefined): C | undefined {
    let lowest = Infinity
    for (const one of candidates) lowest = Math.min(lowest, (this.#ranked.get(one) ?? UNRANKED).priority)
    const group: RankedChoice[] = []
    for (const one of candidates) {
      const ranked = this.#ranked.get(one) ?? new RankedChoice(one, UNRANKED)
      if (ranked.priority === lowest) group.push(ranked)
    }
    const picked = this.#balancer.pick(group, now, x)
    return picked ? (picked.choice as C) : candidates[0]
  }
}

/** Of endpoints that came after the ranks of the others were made. */
const UNRANKED: Rank = { weight: 1, priority: 0 }

/** A choice as one service sees it. */
class RankedChoice implements Choice {
  readonly choice: Choice
  readonly health: Choice['health']
  readonly seed: number
  readonly weight: number
  readonly priority: number

  constructor(choice: Choice, { weight, priority }: Rank) {
    this.choice = choice
    this.health = choice.health
    this.seed = choice.seed
    this.weight = weight
    this.priority = priority
  }
}

/**
 * The balancer of a service: its own, or one that obeys the weights and priorities of its endpoints.
 *
 * @param isDefault Whether no policy configures the balancer. The default one ignores weights.
 */
export const rankedBalancer = (
  ranks: readonly (readonly [Choice, Rank])[],
  balancer: Balancer,
  isDefault: boolean,
): Balancer => {
  if (haveEqualRanks(ranks)) return balancer
  const isEven = haveEqual(ranks, 'weight')
  return new RankedBalancer(ranks, isDefault && !isEven ? new LeastRequest() : balancer)
}

/** Whether no choice differs from the others in weight or priority. */
export const haveEqualRanks = (ranks: readonly (readonly [Choice, Rank])[]): boolean =>
  haveEqual(ranks, 'weight') && haveEqual(ranks, 'priority')

const haveEqual = (ranks: readonly (readonly [Choice, Rank])[], field: keyof Rank): boolean =>
  ranks.every(([, rank]) => rank[field] === ranks[0]?.[1][field])
