/**
 * An object without its members that are undefined, which `JSON.stringify` would leave out.
 *
 * @example
 * defined({ a: 1, b: undefined }) // { a: 1 }
 */
export const defined = <T extends object>(all: T): T => {
  const kept: Partial<T> = {}
  // A third of the time of filtering entries.
  for (const name in all) if (all[name] !== undefined) kept[name] = all[name]
  return kept as T
}
