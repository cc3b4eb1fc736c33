/**
 * Compiles `allowOrigins`: `*`, exact origins, and host wildcards such as `https://*.example.com`, where scheme and
 * port must be those of the pattern and `*` stands for at least one label. Letter case is ignored.
 *
 * @example
 * originPattern(['https://*.example.com'])('https://shop.example.com') // true
 */
export const originPattern = (patterns: readonly string[]): ((origin: string) => boolean) => {
  // Two Origin fields are joined by a comma: no browser sends that, and no reply could allow it.
  if (patterns.includes('*')) return (origin) => origin !== '' && !origin.includes(',')
  const exact = new Set<string>()
  const wildcards: { readonly start: string; readonly end: string }[] = []
  for (const pattern of patterns) {
    const text = pattern.toLowerCase()
    const star = text.indexOf('://*.')
    if (star < 0) exact.add(text)
    else wildcards.push({ start: text.slice(0, star + 3), end: text.slice(star + 4) })
  }
  return (origin) => {
    const text = origin.toLowerCase()
    if (exact.has(text)) return true
    return wildcards.some(
      ({ start, end }) =>
        text.length > start.length + end.length &&
        text.startsWith(start) &&
        text.endsWith(end) &&
        labels.test(text.slice(start.length, -end.length)),
    )
  }
}

const labels = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
