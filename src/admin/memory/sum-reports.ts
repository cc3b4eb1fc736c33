/**
 * One report of several of the same shape: numbers are added, objects field by field, and lists of named objects by
 * name. What is null in one process is null in the sum.
 *
 * @example
 * sumReports([{ bytes: 1, list: [{ name: 'a', count: 1 }] }, { bytes: 2, list: [{ name: 'a', count: 3 }] }])
 * // { bytes: 3, list: [{ name: 'a', count: 4 }] }
 */
export const sumReports = <Report>(reports: readonly Report[]): Report =>
  reports.reduce((sum, report) => add(sum, report) as Report)

const add = (one: unknown, other: unknown): unknown => {
  if (one === undefined || other === undefined) return one ?? other
  if (one === null || other === null) return null
  if (typeof one === 'number' && typeof other === 'number') return one + other
  if (Array.isArray(one) && Array.isArray(other)) return addByName(one as Named[], other as Named[])
  if (typeof one === 'object' && typeof other === 'object') return addFields(one as Fields, other as Fields)
  return one
}

type Fields = Readonly<Record<string, unknown>>
type Named = Fields & { readonly name: string }

const addFields = (one: Fields, other: Fields): Fields =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, add(one[key], other[key])]),
  )

const addByName = (one: readonly Named[], other: readonly Named[]): Named[] => {
  const byName = new Map(one.map((entry) => [entry.name, entry]))
  for (const entry of other) {
    const known = byName.get(entry.name)
    byName.set(entry.name, known ? { ...(addFields(known, entry) as Named), name: entry.name } : entry)
  }
  return [...byName.values()]
}
