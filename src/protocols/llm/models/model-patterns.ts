/** Compiles a model name that may begin or end with `*`. */
export const modelPattern = (pattern: string): ((model: string) => boolean) => {
  if (pattern === '*') return () => true
  if (pattern.startsWith('*')) {
    const end = pattern.slice(1)
    return (model) => model.endsWith(end)
  }
  if (pattern.endsWith('*')) {
    const beginning = pattern.slice(0, -1)
    return (model) => model.startsWith(beginning)
  }
  return (model) => model === pattern
}

/** Orders names and patterns: the more specific ones come first; equals keep their order. */
export const moreExact = (a: string, b: string): number => specificity(b) - specificity(a)

/** The number of literal characters. */
const specificity = (pattern: string): number => (isPattern(pattern) ? pattern.length - 1 : pattern.length)

const isPattern = (name: string): boolean => name.startsWith('*') || name.endsWith('*')

/**
 * The names that a list of models shows for an entry, to a caller who may use `allowed`, or all if that is undefined. A
 * pattern is replaced by the allowed names that match it; it is also listed itself if an allowed pattern overlaps it.
 */
export const listedNames = (pattern: string, allowed: readonly string[] | undefined): readonly string[] => {
  if (!allowed) return [pattern]
  if (!isPattern(pattern)) return allowed.some((one) => modelPattern(one)(pattern)) ? [pattern] : []
  const fits = modelPattern(pattern)
  const names = allowed.filter((one) => !isPattern(one) && fits(one))
  const isShared = allowed.some((one) => isPattern(one) && intersect(pattern, one))
  return [...new Set(isShared ? [...names, pattern] : names)]
}

/** Whether a name can match both patterns. */
const intersect = (a: string, b: string): boolean => {
  // A prefix and a suffix can always be combined.
  if (a === '*' || b === '*' || a.startsWith('*') !== b.startsWith('*')) return true
  const [x, y] = [a.replace('*', ''), b.replace('*', '')]
  return a.startsWith('*') ? x.endsWith(y) || y.endsWith(x) : x.startsWith(y) || y.startsWith(x)
}

/** Compiles aliases to a lookup: an exact name first, else the most specific pattern. */
export const aliasOf = (
  aliases: readonly (readonly [pattern: string, model: string])[],
): ((model: string) => string | undefined) => {
  const names = new Map(aliases.filter(([pattern]) => !isPattern(pattern)))
  const patterns = aliases
    .filter(([pattern]) => isPattern(pattern))
    .sort(([a], [b]) => moreExact(a, b))
    .map(([pattern, model]) => ({ fits: modelPattern(pattern), model }))
  return (model) => names.get(model) ?? patterns.find(({ fits }) => fits(model))?.model
}
