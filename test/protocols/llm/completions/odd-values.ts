/** The paths of all values within a value. */
export const locationsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [
        [...path, name],
        ...locationsIn(member, [...path, name]),
      ])
    : []

/** The value with another one at a path. */
export const replaced = (whole: object, path: readonly string[], value: unknown): Record<string, unknown> => {
  const copy = structuredClone(whole) as Record<string, unknown>
  let place = copy
  for (const name of path.slice(0, -1)) place = place[name] as Record<string, unknown>
  place[path.at(-1)!] = value
  return copy
}
