import { concatMap, defer, type OperatorFunction } from 'rxjs'

/** How items are told apart, and what is emitted when one is gone. */
export interface ItemChanges<Item, Gone> {
  /** Unique in a list. */
  readonly keyOf: (item: Item) => string
  /** Whether nothing has changed that matters; never asked of an item and itself. Without it, others have changed. */
  readonly isSame?: (before: Item, now: Item) => boolean
  /** Emitted for an item whose key has no item any more; undefined if nothing is. */
  readonly goneOf: (item: Item) => Gone | undefined
}

/** The items that are new or differ from those of the list before, in the order of the list, then those that are gone. */
export const changedItems =
  <Item, Gone = never>({
    keyOf,
    isSame = Object.is,
    goneOf,
  }: ItemChanges<Item, Gone>): OperatorFunction<readonly Item[], Item | Gone> =>
  (lists$) =>
    defer(() => {
      let before: readonly Item[] = []
      return lists$.pipe(
        concatMap((items): readonly (Item | Gone)[] => {
          const { from, beforeTo, itemsTo } = difference(before, items)
          const known = new Map(before.slice(from, beforeTo).map((item) => [keyOf(item), item]))
          const now = new Map(items.slice(from, itemsTo).map((item) => [keyOf(item), item]))
          before = items
          const changed = [...now].flatMap(([key, item]) => {
            const other = known.get(key)
            return other !== undefined && isSame(other, item) ? [] : [item]
          })
          const gone = [...known].flatMap(([key, item]) => (now.has(key) ? [] : (goneOf(item) ?? [])))
          return [...changed, ...gone]
        }),
      )
    })

/** Where two lists differ. Of thousands of items, mostly one is another: their keys need not be looked up. */
const difference = (before: readonly unknown[], now: readonly unknown[]) => {
  const shorter = Math.min(before.length, now.length)
  let from = 0
  while (from < shorter && before[from] === now[from]) from++
  let [beforeTo, itemsTo] = [before.length, now.length]
  while (beforeTo > from && itemsTo > from && before[beforeTo - 1] === now[itemsTo - 1]) {
    beforeTo--
    itemsTo--
  }
  return { from, beforeTo, itemsTo }
}
