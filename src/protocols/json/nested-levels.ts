/** Whether a value has more levels of objects and lists than that. Looks no deeper, so that no stack overflows. */
export const isNestedDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isNestedDeeper(one, levels - 1)))

/** The value with null in place of what is below so many levels. */
export const withLevels = (value: unknown, levels: number): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((one) => withLevels(one, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLevels(one, levels - 1)]))
}
