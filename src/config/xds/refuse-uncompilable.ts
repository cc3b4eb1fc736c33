import { sortSteps } from '../../model/event-loop/sort-steps.ts'
import { runInLongSlices } from '../../model/event-loop/time-slicing.ts'
import { redactText } from '../../model/trace/redact.ts'
import type { RefusedResource } from '../../protocols/xds/delta.ts'
import type { AcceptedResource } from './accepted-resource.ts'
import { compareNames, type NamedChange } from './sorted-by-name.ts'
import type { XdsKind } from './xds-resource.ts'
import type { XdsState } from './xds-state.ts'

type Change = NamedChange<AcceptedResource>

/**
 * The order in which changes are tried: what is referred to comes after those that refer to it. A reference that leads
 * nowhere compiles, so that the one is found that fails, and not those that use it.
 */
const ORDER: readonly XdsKind[] = [
  'bind',
  'listener',
  'route',
  'tcpRoute',
  'udpRoute',
  'models',
  'service',
  'workload',
  'backend',
  'policy',
]

/** Trials for one update; one of ten thousand resources is found with fourteen. */
const MAX_TRIALS = 200

/**
 * Applies those of some changes that compile, and returns the others with their problems: their versions before stay,
 * as those of resources do that fail their checks. If there are many, some that would compile are refused with them.
 *
 * @param state Without the changes; it compiles.
 * @param trial Compiles the state. Rejects if it cannot.
 * @param signal Ends the search with its reason.
 */
export const refuseUncompilable = async (
  state: XdsState,
  changes: readonly Change[],
  trial: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<readonly RefusedResource[]> => {
  const ordered = await runInLongSlices(sortSteps(changes, (a, b) => rankOf(a) - rankOf(b)))
  const refused: RefusedResource[] = []
  let trials = 0
  /** Keeps a part of the changes, or returns why it does not compile. */
  const problemWith = async (
    start: number,
    end: number,
  ): Promise<{ readonly error: unknown } | undefined> => {
    const byName = await runInLongSlices(sortSteps(ordered.slice(start, end), compareNames))
    const undo = await state.commit(byName)
    trials++
    try {
      await trial()
      return undefined
    } catch (error) {
      await state.commit(undo)
      signal.throwIfAborted()
      return { error }
    }
  }
  let low = 0
  while (low < ordered.length) {
    let high = ordered.length
    let problem = await problemWith(low, high)
    if (!problem) break
    while (high - low > 1 && trials < MAX_TRIALS) {
      const middle = (low + high) >> 1
      const found = await problemWith(low, middle)
      if (found) [problem, high] = [found, middle]
      else low = middle
    }
    for (const { name } of ordered.slice(low, high)) refused.push(refusal(name, problem.error))
    low = high
  }
  return refused
}

/** The refusal of a resource that passed its checks. */
export const refusal = (name: string, error: unknown): RefusedResource => ({
  name,
  problem: `${name}: ${redactText(error instanceof Error ? error.message : String(error))}`,
})

const rankOf = ({ name }: Change): number => ORDER.indexOf(name.slice(0, name.indexOf('/')) as XdsKind)
