import { concatMap, defer, type OperatorFunction } from 'rxjs'

/** How items are told apart, and what is emitted when one is gone. */
export interface ItemChanges<Item, Gone> {
  readonly keyOf: (item: Item) => string
  /** Whether nothing has changed that matters. Without it, items that did not change are the same objects. */
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
      let before: ReadonlyMap<string, Item> = new Map<string, Item>()
      return lists$.pipe(
        concatMap((items): readonly (Item | Gone)[] => {
          const now = new Map(items.map((item) => [keyOf(item), item]))
          const changed = [...now].flatMap(([key, item]) => {
            const known = before.get(key)
            return known !== undefined && isSame(known, item) ? [] : [item]
          })
          const gone = [...before].flatMap(([key, item]) => (now.has(key) ? [] : (goneOf(item) ?? [])))
          before = now
          return [...changed, ...gone]
        }),
      )
    })
