/** Compiles a name that may begin or end with `*`. */
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
 * What a list of models shows of one that is called so, for a caller who may use `allowed`, or anything if that is
 * undefined. A pattern is shown as the names that are allowed and fit it; as itself if patterns are allowed that have
 * names in common with it.
 */
export const listedNames = (pattern: string, allowed: readonly string[] | undefined): readonly string[] => {
  if (!allowed) return [pattern]
  if (!isPattern(pattern)) return allowed.some((one) => modelPattern(one)(pattern)) ? [pattern] : []
  const fits = modelPattern(pattern)
  const names = allowed.filter((one) => !isPattern(one) && fits(one))
  const isShared = allowed.some((one) => isPattern(one) && intersect(pattern, one))
  return [...new Set(isShared ? [...names, pattern] : names)]
}

/** Whether there can be a name that fits both patterns. */
const intersect = (a: string, b: string): boolean => {
  // One says the beginning and the other the end: both can be had.
  if (a === '*' || b === '*' || a.startsWith('*') !== b.startsWith('*')) return true
  const [x, y] = [a.replace('*', ''), b.replace('*', '')]
  return a.startsWith('*') ? x.endsWith(y) || y.endsWith(x) : x.startsWith(y) || y.startsWith(x)
}

/** Makes what finds the model that a name stands for: by the name itself, else by the pattern that says most. */
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
