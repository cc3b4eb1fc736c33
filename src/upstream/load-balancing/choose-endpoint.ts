import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Balancer } from './balancer.ts'
import type { Choice } from './choice.ts'

/** The circumstances of a choice. */
export interface ChoiceContext {
  readonly balancer: Balancer
  readonly now: number
  /** The exchange that it is chosen for, if any. */
  readonly x?: Exchange | undefined
  /** Already tried, possibly with choices of other lists: skipped while there are untried ones. */
  readonly tried?: readonly object[] | undefined
  /** 0…1: while fewer than this share can be used, evicted ones are used as well. */
  readonly panicThreshold?: number | undefined
}

/**
 * Chooses among equivalent endpoints. Evicted ones are skipped, unless all are: a response from a bad endpoint is
 * better than none. Those of a lower priority number come first.
 */
export const chooseEndpoint = <C extends Choice>(
  all: readonly C[],
  { balancer, now, x, tried, panicThreshold = 0 }: ChoiceContext,
): C | undefined => {
  if (all.length < 2) return all[0]
  const fresh = tried ? untried(all, tried) : all
  const group = hasPriorities(fresh) ? firstGroup(fresh, now) : fresh
  const usable = hasEvicted(group, now) ? group.filter(({ health }) => !health.isEvicted(now)) : group
  if (usable.length === 0) return balancer.pick(group, now, x)
  const isPanic = usable !== group && panicThreshold > 0 && isBelow(panicThreshold, all, usable, now)
  return balancer.pick(isPanic ? group : usable, now, x)
}

// Loops: each closure would be one more object per request.
const hasPriorities = (all: readonly Choice[]): boolean => {
  for (const { priority } of all) if (priority) return true
  return false
}

const hasEvicted = (all: readonly Choice[], now: number): boolean => {
  for (const { health } of all) if (health.isEvicted(now)) return true
  return false
}

/** If all have been tried, all but the last one, which has failed just now. */
const untried = <C extends Choice>(all: readonly C[], tried: readonly object[]): readonly C[] => {
  const fresh = all.filter((one) => !tried.includes(one))
  if (fresh.length > 0) return fresh
  const last = tried.findLast((one) => all.includes(one as C))
  return all.filter((one) => one !== last)
}

/** Those of the lowest number with a usable one; if there is none, those of the lowest number. */
const firstGroup = <C extends Choice>(all: readonly C[], now: number): readonly C[] => {
  let first = Infinity
  let lowest = Infinity
  for (const { priority = 0, health } of all) {
    lowest = Math.min(lowest, priority)
    if (priority < first && !health.isEvicted(now)) first = priority
  }
  const chosen = first === Infinity ? lowest : first
  return all.filter(({ priority = 0 }) => priority === chosen)
}

/** Whether less than a share of a group can be used, tried ones included. */
const isBelow = (share: number, all: readonly Choice[], [one]: readonly Choice[], now: number): boolean => {
  const group = all.filter(({ priority }) => (priority ?? 0) === (one?.priority ?? 0))
  const usable = group.filter(({ health }) => !health.isEvicted(now))
  return usable.length < share * group.length
}
