/**
 * Merges reports that are lists, by a key of their entries, in the order in which the keys first occur. A single report
 * is returned as it is.
 *
 * @param merge Makes one entry of two with the same key.
 */
export const mergeByKey = <Entry>(
  reports: readonly (readonly Entry[])[],
  keyOf: (entry: Entry) => string,
  merge: (a: Entry, b: Entry) => Entry,
): readonly Entry[] => {
  const [first = [], ...others] = reports
  if (others.length === 0) return first
  const all = new Map(first.map((entry) => [keyOf(entry), entry]))
  for (const entry of others.flat()) {
    const key = keyOf(entry)
    const other = all.get(key)
    all.set(key, other ? merge(other, entry) : entry)
  }
  return [...all.values()]
}
