import { hashText, rendezvousWeight } from './hash.ts'
import type { Health } from './health.ts'

/** One of several places that do the same. */
export interface Choice {
  readonly health: Health
  /** Hash of its name, the same over reloads. */
  readonly seed: number
}

/** What is known when a choice is made. */
export interface ChoiceContext {
  readonly now: number
  /** Gives 0 ≤ number < 1. */
  readonly random: () => number
  /** Calls with the same key go to the same choice as long as it is there. */
  readonly affinity?: string | undefined
}

/**
 * Chooses among endpoints: the better of two drawn at random, or by affinity the one its key belongs to. Evicted ones
 * are left out, unless all are: an answer from a bad endpoint is better than none.
 *
 * @param tried Those that have failed this call already; left out as long as there are others.
 */
export const chooseEndpoint = <C extends Choice>(
  all: readonly C[],
  { now, random, affinity }: ChoiceContext,
  tried: readonly C[] = [],
): C | undefined => {
  const fresh = tried.length ? all.filter((one) => !tried.includes(one)) : all
  const untried = fresh.length ? fresh : all
  const usable = untried.some(({ health }) => health.isEvicted(now))
    ? untried.filter(({ health }) => !health.isEvicted(now))
    : untried
  const candidates = usable.length ? usable : untried
  return affinity === undefined ? betterOfTwo(candidates, now, random) : ownerOf(candidates, affinity)
}

const betterOfTwo = <C extends Choice>(
  candidates: readonly C[],
  now: number,
  random: () => number,
): C | undefined => {
  const count = candidates.length
  if (count < 2) return candidates[0]
  const first = Math.floor(random() * count)
  // Drawn from the others, so that the two are never the same.
  const draw = Math.floor(random() * (count - 1))
  const a = candidates[first] as C
  const b = candidates[draw < first ? draw : draw + 1] as C
  return b.health.score(now) > a.health.score(now) ? b : a
}

const ownerOf = <C extends Choice>(candidates: readonly C[], affinity: string): C | undefined => {
  const key = hashText(affinity)
  let owner: C | undefined
  let highest = -1
  for (const candidate of candidates) {
    const weight = rendezvousWeight(key, candidate.seed)
    if (weight <= highest) continue
    highest = weight
    owner = candidate
  }
  return owner
}
