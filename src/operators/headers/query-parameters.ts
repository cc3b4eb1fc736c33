/**
 * A query (`?a=1&b=2`, or empty) with some parameters removed and others replacing all of their name. Other
 * parameters are unchanged.
 */
export const editQuery = (
  query: string,
  set: readonly (readonly [name: string, value: string])[],
  removed: readonly string[],
): string => {
  if (set.length === 0 && removed.length === 0) return query
  const gone = new Set([...removed, ...set.map(([name]) => name)])
  const kept = query
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !gone.has(nameOf(parameter)))
  const added = set.map(([name, value]) => new URLSearchParams([[name, value]]).toString())
  const parameters = [...kept, ...added]
  return parameters.length ? `?${parameters.join('&')}` : ''
}

const nameOf = (parameter: string): string => {
  for (const [name] of new URLSearchParams(parameter)) return name
  return ''
}
