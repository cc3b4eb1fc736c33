import { type MappedList, mapChanged, sameItems } from '../model/resources/list-difference.ts'
import type { TargetedPolicy } from '../model/resources/resources.ts'
import type { AttachedPolicies } from './attached-policies.ts'
import type { Derived } from './derived.ts'

/** What all lists of a configuration are merged with. */
export interface Merging {
  readonly attached: AttachedPolicies
  readonly derived: Derived
}

/** How resources of one list are merged. */
export interface Merger<T> {
  /** The policies that apply to a resource. */
  readonly attachedTo: (resource: T) => readonly TargetedPolicy[]
  readonly merge: (resource: T, attached: readonly TargetedPolicy[]) => T
  /** What all are merged with as well. */
  readonly outer: object | undefined
}

/** A resource, and the policies that it was merged with. */
interface Merged<T> extends Pick<Merger<T>, 'outer'> {
  readonly own: readonly TargetedPolicy[]
  readonly merged: T
}

/** The merged resources of a list, for the configuration that follows. */
interface MergedList<T> {
  readonly attached: AttachedPolicies
  readonly list: MappedList<T, Merged<T>>
  readonly merged: readonly T[]
}

/**
 * Merges the resources of a list. Those that stay are taken over if the same policies apply; as long as no policy has
 * changed, without a look at them.
 */
export function* mergeEach<T extends object>(
  name: string,
  resources: readonly T[],
  { attached, derived }: Merging,
  { attachedTo, merge, outer }: Merger<T>,
): Generator<undefined, readonly T[]> {
  const { merged } = yield* derived.steps<MergedList<T>>('merged list', name, function* (before) {
    const isSettled = before?.attached === attached
    const list = yield* mapChanged<T, Merged<T>>(
      resources,
      before?.list,
      (resource) => {
        const own = attachedTo(resource)
        return { outer, own, merged: own.length === 0 && !outer ? resource : merge(resource, own) }
      },
      (last, resource) => last.outer === outer && (isSettled || sameItems(last.own, attachedTo(resource))),
    )
    const made = list.results.map((one) => one.merged)
    const same = [before?.merged, resources].find((known) => known && sameItems(known, made))
    return { attached, list, merged: same ?? made }
  })
  return merged
}
