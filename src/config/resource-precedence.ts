import { sortSteps } from '../model/event-loop/sort-steps.ts'
import { listDifference } from '../model/resources/list-difference.ts'
import type { ResourcePrecedence } from '../model/resources/resource-precedence.ts'

/** Something that may have been made from a resource. */
interface MadeFromResource {
  readonly precedence?: ResourcePrecedence
}

/**
 * Sorts routes and policies that nothing else distinguishes: those without a precedence as they are listed, then the
 * others, whatever their position in the list: older resources first, then by namespace and name, rule and match.
 */
export const sortedByPrecedence = <T extends MadeFromResource>(list: readonly T[]): readonly T[] =>
  list.some(({ precedence }) => precedence)
    ? list.toSorted((a, b) => compareResources(a.precedence, b.precedence))
    : list

/** A list, and the same in the order of precedence. */
export interface SortedByPrecedence<T> {
  readonly list: readonly T[]
  readonly sorted: readonly T[]
}

/**
 * The same as {@link sortedByPrecedence}, step by step, with the order of the list before: a few items that are new are
 * searched their positions. Sorting 2,000 routes takes 5 ms, inserting one 0.1 ms.
 */
export function* sortAfter<T extends MadeFromResource>(
  list: readonly T[],
  before: SortedByPrecedence<T> | undefined,
): Generator<undefined, SortedByPrecedence<T>> {
  if (before?.list === list) return before
  const inserted = before && insertedInto(before, list)
  if (inserted) return { list, sorted: inserted }
  if (!list.some(({ precedence }) => precedence)) return { list, sorted: list }
  const sorted = yield* sortSteps(list, (a, b) => compareResources(a.precedence, b.precedence))
  return { list, sorted }
}

/** More are sorted together with the others. */
const MAX_INSERTED = 32

/** Undefined if the order of the list counts, or if there is too much to insert. */
const insertedInto = <T extends MadeFromResource>(
  before: SortedByPrecedence<T>,
  list: readonly T[],
): readonly T[] | undefined => {
  const { start, endBefore, endNow } = listDifference(before.list, list)
  if (endNow - start > MAX_INSERTED) return undefined
  const gone = new Set(before.list.slice(start, endBefore))
  const sorted = before.sorted.filter((item) => !gone.has(item))
  for (const item of list.slice(start, endNow)) {
    if (!item.precedence) return undefined
    const at = positionOf(item, sorted)
    const next = sorted[at]
    if (next && compareResources(item.precedence, next.precedence) === 0) return undefined
    sorted.splice(at, 0, item)
  }
  return sorted
}

/** The position of the first that an item precedes, or that has its precedence. */
const positionOf = <T extends MadeFromResource>({ precedence }: T, sorted: readonly T[]): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareResources(sorted[middle]?.precedence, precedence) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Negative if the first precedes; 0 leaves the order of the list. */
const compareResources = (a: ResourcePrecedence | undefined, b: ResourcePrecedence | undefined): number => {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined)
  return (
    compareTexts(a.createdAt, b.createdAt) ||
    compareTexts(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`) ||
    a.rule - b.rule ||
    a.match - b.match
  )
}

/** By code units, so that every replica has the same order, whatever its locale. */
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
