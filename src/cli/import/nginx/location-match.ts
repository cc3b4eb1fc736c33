import { regex } from '../../../config/format/expression.ts'
import type { PathMatch } from '../../../config/schema/file-types.gen.ts'
import type { Directive } from './directive.ts'

/** A location and its path. */
export interface LocationPath {
  readonly kind: 'exact' | 'prefix' | 'preferredPrefix' | 'regex'
  /** The path, or the regular expression with its flags. */
  readonly path: string
}

/** The path of a location; undefined for a named one, which only other directives reach. */
export const locationPath = ({ args }: Pick<Directive, 'args'>): LocationPath | undefined => {
  const [first = '/', second] = args
  if (first.startsWith('@')) return undefined
  const [modifier, path] =
    second === undefined ? (/^(=|\^~|~\*|~)?(.*)$/s.exec(first)?.slice(1, 3) ?? []) : [first, second]
  if (modifier === '=') return { kind: 'exact', path: path ?? '/' }
  if (modifier === '^~') return { kind: 'preferredPrefix', path: path ?? '/' }
  if (modifier === '~' || modifier === '~*')
    return { kind: 'regex', path: wholePath(path ?? '', modifier === '~*') }
  return { kind: 'prefix', path: path ?? '/' }
}

/** Whether this gateway knows an expression; it has no look-around and no references to groups. */
export const isKnownExpression = (pattern: string): boolean => regex(pattern) === undefined

/** An expression for the same paths and for others: without look-around, and with anything for references to groups. */
export const widerExpression = (pattern: string): string => {
  const wider = pattern
    .replaceAll(/\(\?<?[!=](?:\\.|\[(?:\\.|[^\]])*\]|[^()\\[])*\)/g, '')
    .replaceAll(/\\[1-9]/g, '.*')
  return isKnownExpression(wider) ? wider : '.*'
}

/** Expressions of nginx match anywhere; those of this gateway match the whole path. */
const wholePath = (pattern: string, isCaseless: boolean): string => {
  const isChoice = hasOuterChoice(pattern)
  const isAnchored = pattern.startsWith('^') && !isChoice
  const isEnded = /(?<!\\)\$$/.test(pattern) && !isChoice
  const middle = pattern.slice(isAnchored ? 1 : 0, isEnded ? -1 : undefined)
  const group = isChoice ? `(?:${middle})` : middle
  return `${isCaseless ? '(?i)' : ''}${isAnchored ? '' : '.*'}${group}${isEnded ? '' : '.*'}`
}

/** Whether a `|` is outside of all groups. */
const hasOuterChoice = (pattern: string): boolean => {
  const plain = pattern.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/gs, '')
  let depth = 0
  for (const character of plain) {
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '|' && depth <= 0) return true
  }
  return false
}

/**
 * Matches in which the longer pattern wins, as in this gateway, and which prefer what nginx prefers: `^~` prefixes,
 * then expressions in the order of the file, then the longest prefix. A pattern that is too short for its rank gets
 * empty groups.
 *
 * @param isRestricted Whether the access to a location is restricted: no path that nginx restricts may be left out.
 */
export const rankedMatches = (
  paths: readonly LocationPath[],
  isRestricted: (index: number) => boolean,
): readonly PathMatch[] => {
  const hasRegex = paths.some(({ kind }) => kind === 'regex')
  const patterns = paths.map(({ kind, path }, index): PathMatch => {
    if (kind === 'exact') return { exact: path }
    if (kind === 'regex') return { regex: path }
    const isWhole = path.endsWith('/') || !isRestricted(index)
    if (isWhole && !(kind === 'preferredPrefix' && hasRegex)) return { pathPrefix: path }
    return { regex: expressionOf(path) }
  })
  const rankOf = (index: number): number => {
    const { kind, path } = paths[index] ?? { kind: 'exact', path: '' }
    if (kind === 'regex') return 1_000_000 - index
    return kind === 'preferredPrefix' && hasRegex ? 2_000_000 + path.length : path.length
  }
  let [longest, longestRegex] = [0, 0]
  const order = patterns
    .map((_, index) => index)
    .filter((index) => !('exact' in (patterns[index] ?? {})))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
  const result = [...patterns]
  for (const index of order) {
    const { pathPrefix, regex = '' } = patterns[index] ?? {}
    const length = (pathPrefix ?? regex).length
    // A prefix that an expression of a shorter path would precede becomes an expression as well.
    const isOutranked = pathPrefix !== undefined && length <= longestRegex
    if (pathPrefix !== undefined && !isOutranked) longest = Math.max(longest, length)
    else {
      const own = pathPrefix === undefined ? regex : expressionOf(pathPrefix)
      const missing = Math.max(0, longest + 1 - own.length)
      const padded = `${own}${'(?:)'.repeat(Math.ceil(missing / 4))}`
      longest = padded.length
      longestRegex = padded.length
      result[index] = { regex: padded }
    }
  }
  return result.map(({ exact, pathPrefix, regex }) =>
    exact !== undefined
      ? { exact: exact }
      : pathPrefix !== undefined
        ? { pathPrefix: pathPrefix }
        : { regex: regex ?? '.*' },
  )
}

/** An expression for all paths that begin with a text. */
const expressionOf = (prefix: string): string => `${prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}.*`
