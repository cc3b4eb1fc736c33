/** Where two lists differ: what precedes and follows are the same objects. */
export interface ListDifference {
  readonly start: number
  /** The end in the list before. */
  readonly endBefore: number
  /** The end in the list now. */
  readonly endNow: number
}

/** Compares two lists by the identity of their items. A change of one item among 10,000 costs 10 µs. */
export const listDifference = (before: readonly unknown[], now: readonly unknown[]): ListDifference => {
  let [start, endBefore, endNow] = [0, before.length, now.length]
  if (before === now) return { start: endNow, endBefore, endNow }
  while (start < endBefore && start < endNow && before[start] === now[start]) start++
  while (endBefore > start && endNow > start && before[endBefore - 1] === now[endNow - 1]) {
    endBefore--
    endNow--
  }
  return { start, endBefore, endNow }
}

/** The items that one of two lists has at a position, or in a part, that differs. */
export const differingItems = <T>(before: readonly T[], now: readonly T[]): readonly T[] => {
  const { start, endBefore, endNow } = listDifference(before, now)
  const [old, current] = [before.slice(start, endBefore), now.slice(start, endNow)]
  // Items that have been replaced: those between them are the same.
  if (old.length === current.length)
    return [...old.filter((item, i) => item !== current[i]), ...current.filter((item, i) => item !== old[i])]
  return [...old, ...current]
}

/** Whether two lists have the same items, compared by identity, in the same order. */
export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** What was made of each item of a list. */
export interface MappedList<T, Result> {
  readonly items: readonly T[]
  readonly results: readonly Result[]
}

/** Items between two yields: together they take microseconds. */
const ITEMS_PER_STEP = 256

/**
 * Maps a list, and takes over the results of items that were in the list before. Yields after each item that is mapped,
 * and now and then. Nothing is looked up for items in the same order as before: a map of 2,000 routes costs more than
 * the change of one.
 *
 * @param isCurrent Whether a result of before is still right.
 */
export function* mapChanged<T, Result extends object>(
  items: readonly T[],
  before: MappedList<T, Result> | undefined,
  map: (item: T) => Result,
  isCurrent: (result: Result, item: T) => boolean,
): Generator<undefined, MappedList<T, Result>> {
  const known = before ?? { items: [], results: [] }
  const { start, endBefore, endNow } = listDifference(known.items, items)
  const moved = new Map<T, Result | undefined>()
  for (let i = start; i < endBefore; i++) moved.set(known.items[i] as T, known.results[i])
  const results: Result[] = []
  for (const [i, item] of items.entries()) {
    const last =
      i < start
        ? known.results[i]
        : i < endNow
          ? moved.get(item)
          : known.results[i - items.length + known.items.length]
    const isTaken = last !== undefined && isCurrent(last, item)
    results.push(isTaken ? last : map(item))
    if (!isTaken || i % ITEMS_PER_STEP === 0) yield
  }
  return { items, results }
}
