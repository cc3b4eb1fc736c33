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
  const deleted = directives.flatMap((item) => deletedKey(item, merge))
  if (directives.some((item) => item[PATCH] === 'replace')) return plain.map(replacingValue)
  const kept = original.filter((item) => !deleted.includes(identityOf(item, merge)))
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
  for (const item of patch) {
    if (isPatched(item) && item[PATCH] === 'delete') continue
    const isPassed = position === wanted.length
    if (isPatched(item) && !isPassed) continue
    position = isPassed ? 0 : wanted.indexOf(identityOf(item, merge), position) + 1
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
  for (const item of patch) {
    const identity = identityOf(item, merge)
    const index = merged.findIndex((one) => identityOf(one, merge) === identity)
    if (index < 0) merged.push(replacingValue(item))
    else merged[index] = merge.mergeItems(merged[index] as JsonMap, item as JsonMap)
  }
  return merged
}

/** Elements that `first` names in its order, between the others in that of the original. */
const arranged = (
  items: readonly unknown[],
  first: readonly unknown[],
  original: readonly unknown[],
  merge: ListMerge,
): readonly unknown[] => {
  const firstOrder = first.map((item) => identityOf(item, merge))
  const originalOrder = original.map((item) => identityOf(item, merge))
  const sorted = (order: readonly unknown[], isFirst: boolean): unknown[] =>
    items
      .filter((item) => firstOrder.includes(identityOf(item, merge)) === isFirst)
      .map((item) => ({ item, at: order.indexOf(identityOf(item, merge)) }))
      // An order of nothing names no element of the patch: those that are new come last.
      .sort((one, other) => (one.at < 0 ? order.length : one.at) - (other.at < 0 ? order.length : other.at))
      .map(({ item }) => item)
  const named = sorted(firstOrder, true)
  const others = sorted(originalOrder, false)
  const result: unknown[] = []
  while (named.length > 0 && others.length > 0) {
    const at = originalOrder.indexOf(identityOf(named[0], merge))
    const isBefore = at >= 0 && originalOrder.indexOf(identityOf(others[0], merge)) < at
    result.push(isBefore ? others.shift() : named.shift())
  }
  return [...result, ...named, ...others]
}
