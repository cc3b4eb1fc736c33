import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { isPatched, type JsonMap, PATCH, PatchProblem, replacingValue } from './directives.ts'

/** How the elements of a list find each other. */
export interface ListMerge {
  /** The field that identifies an object; undefined for scalars, which identify themselves. */
  readonly key: string | undefined
  readonly mergeItems: (original: JsonMap, patch: JsonMap) => JsonMap
}

/**
 * Merges a list of a patch into another. Elements of the patch have the patch's order, and elements that only the
 * original has stay where they are among those that both have; elements that are new come before what follows.
 */
export const mergeLists = (
  original: readonly unknown[],
  patch: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  if (!areMaps([...original, ...patch])) {
    const values = [...new Set([...original, ...patch])]
    return arranged(values, patch, original, merge)
  }
  const plain = patch.filter((item) => !isPatched(item))
  const directives = patch.filter((item) => isPatched(item))
  const deleted = new Set(directives.flatMap((item) => deletedKey(item, merge)))
  if (directives.some((item) => item[PATCH] === 'replace')) return plain.map(replacingValue)
  const kept = original.filter((item) => !deleted.has(identityOf(item, merge)))
  return arranged(mergedMaps(kept, plain, merge), plain, kept, merge)
}

/**
 * A merged list in an order that is given: that of the elements that it names, and of the original for the others.
 */
export const orderedLists = (
  merged: readonly unknown[],
  original: readonly unknown[],
  patch: readonly unknown[],
  order: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  const wanted = order.map((item) => identityOf(item, merge))
  checkOrder(patch, wanted, merge)
  return arranged(merged, order, originalOrder(original, patch, merge), merge)
}

/** That of the original, where elements that are new take, at the end, the places of those that the patch deletes. */
const originalOrder = (
  original: readonly unknown[],
  patch: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  const identities = (items: readonly unknown[]) => new Set(items.map((item) => identityOf(item, merge)))
  const deleted = identities(patch.filter((item) => isPatched(item) && item[PATCH] === 'delete'))
  const kept = original.filter((item) => !deleted.has(identityOf(item, merge)))
  const known = identities(kept)
  const added = patch.filter((item) => !isPatched(item) && !known.has(identityOf(item, merge)))
  return [...kept, ...added].slice(0, original.length)
}

/**
 * What a patch has besides deletions is in the order that it gives. As in Kubernetes, no element may follow the last that
 * the order names, not even one with a directive, and an empty order says nothing.
 */
const checkOrder = (patch: readonly unknown[], wanted: readonly unknown[], merge: ListMerge): void => {
  if (wanted.length === 0) return
  let position = 0
  // The positions of each, the first one last.
  const positions = new Map<unknown, number[]>()
  for (let at = wanted.length - 1; at >= 0; at--) {
    const known = positions.get(wanted[at])
    if (known) known.push(at)
    else positions.set(wanted[at], [at])
  }
  const nextOf = (identity: unknown): number => {
    const left = positions.get(identity) ?? []
    while (left.length > 0 && (left.at(-1) as number) < position) left.pop()
    return left.at(-1) ?? -1
  }
  for (const item of patch) {
    if (isPatched(item) && item[PATCH] === 'delete') continue
    const isPassed = position === wanted.length
    if (isPatched(item) && !isPassed) continue
    position = isPassed ? 0 : nextOf(identityOf(item, merge)) + 1
    if (position === 0)
      throw new PatchProblem('The order of a list in the patch differs from $setElementOrder')
  }
}

/** Elements of a list are all objects, or all scalars of one type. */
const areMaps = (items: readonly unknown[]): boolean => {
  const [type, ...others] = new Set(items.map(typeOf))
  if (others.length > 0 || type === 'list')
    throw new PatchProblem('The elements of a list that is merged must be objects, or scalars of one type')
  return type === 'map'
}

const typeOf = (item: unknown): string =>
  Array.isArray(item) ? 'list' : isJsonObject(item) ? 'map' : typeof item

const identityOf = (item: unknown, { key }: ListMerge): unknown => {
  if (!isJsonObject(item)) return item
  if (key === undefined) throw new PatchProblem('A list of objects without a merge key cannot be merged')
  if (!Object.hasOwn(item, key)) throw new PatchProblem(`An element of a list has no ${key}`)
  return item[key]
}

const deletedKey = (item: JsonMap, merge: ListMerge): readonly unknown[] => {
  const directive = item[PATCH]
  if (directive === 'delete') return [identityOf(item, merge)]
  if (directive === 'replace') return []
  throw new PatchProblem(`${PATCH} of an element must be replace or delete, not ${JSON.stringify(directive)}`)
}

const mergedMaps = (
  original: readonly unknown[],
  patch: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  const merged = [...original]
  const positions = positionsOf(original, merge)
  for (const item of patch) {
    const identity = identityOf(item, merge)
    const index = positions.get(identity)
    if (index === undefined) positions.set(identity, merged.push(replacingValue(item)) - 1)
    else merged[index] = merge.mergeItems(merged[index] as JsonMap, item as JsonMap)
  }
  return merged
}

/** The first position of each element, by its identity. Patches may be long: nothing is looked for from the start. */
const positionsOf = (items: readonly unknown[], merge: ListMerge): Map<unknown, number> =>
  new Map(items.map((item, index) => [identityOf(item, merge), index] as const).reverse())

/** Elements that `first` names in its order, between the others in that of the original. */
const arranged = (
  items: readonly unknown[],
  first: readonly unknown[],
  original: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  const firstOrder = positionsOf(first, merge)
  const originalOrder = positionsOf(original, merge)
  const sorted = (order: ReadonlyMap<unknown, number>, isFirst: boolean): readonly unknown[] =>
    items
      .filter((item) => firstOrder.has(identityOf(item, merge)) === isFirst)
      // An order of nothing names no element of the patch: those that are new come last.
      .map((item) => ({ item, at: order.get(identityOf(item, merge)) ?? Infinity }))
      .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at))
      .map(({ item }) => item)
  const named = sorted(firstOrder, true)
  const others = sorted(originalOrder, false)
  const result: unknown[] = []
  let next = 0
  for (const item of named) {
    const at = originalOrder.get(identityOf(item, merge))
    while (at !== undefined && next < others.length) {
      const other = originalOrder.get(identityOf(others[next], merge)) ?? -1
      if (other >= at) break
      result.push(others[next])
      next += 1
    }
    result.push(item)
  }
  return [...result, ...others.slice(next)]
}
