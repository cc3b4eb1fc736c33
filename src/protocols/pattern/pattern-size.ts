import { RE2JS } from 're2js'

/** The largest patterns that requests are compared with. */
export const patternLimits = {
  /**
   * Characters of a pattern, and instructions that it compiles to. The time to compare a character grows with the
   * instructions in the worst case; the pattern of a UUID has 38 of them.
   */
  size: 1_024,
  /** The sum of a route's patterns, each by its characters or its instructions, whichever are more. */
  sum: 4_096,
} as const

/**
 * The instructions that a pattern (RE2 syntax) compiles to, or the bound that it exceeds: a pattern of a few characters
 * may stand for millions of instructions, which are never made.
 *
 * @throws Error with RE2's explanation if the pattern is not valid.
 * @example
 * patternSize('[a-z]{8}') // { size: 10 }
 * patternSize('(?:[a-z]{1000}){1000}') // { exceeds: 1024, of: 'instructions' }
 */
export const patternSize = (
  text: string,
): { readonly size: number } | { readonly exceeds: number; readonly of: 'characters' | 'instructions' } => {
  const limit = patternLimits.size
  if (text.length > limit) return { exceeds: limit, of: 'characters' }
  if (largestProgram(text) > ESTIMATE_SLACK * limit) return { exceeds: limit, of: 'instructions' }
  const size = RE2JS.compile(text).programSize()
  return size > limit ? { exceeds: limit, of: 'instructions' } : { size }
}

/** What a pattern counts for in the sum of a route. */
export const patternShare = (text: string): number => {
  const measured = patternSize(text)
  return 'size' in measured ? Math.max(measured.size, text.length) : patternLimits.sum + 1
}

/**
 * Instructions that a pattern compiles to at most, by its text: repetitions multiply what they repeat. Simplifications
 * of the compiler are left out, so the estimate may be several times too large; it is never too small.
 */
export const largestProgram = (text: string): number => {
  const outer: { sum: number; last: number }[] = []
  let level = { sum: 2, last: 0 }
  const atom = (size: number): void => {
    level = { sum: level.sum + level.last, last: size }
  }
  for (const [token, , , least, most] of text.matchAll(TOKENS)) {
    if (token === '(') {
      outer.push(level)
      level = { sum: 0, last: 0 }
    } else if (token === ')') {
      const size = level.sum + level.last + 2
      level = outer.pop() ?? level
      atom(size)
    } else if (token === '|') level = { sum: level.sum + level.last + 2, last: 0 }
    else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1)
      level.last = level.last * times + times + 2
    } else if (token === '*' || token === '+' || token === '?') level.last += 2
    else if (token.startsWith('\\Q')) atom(token.length)
    else atom(1)
  }
  return outer.reduce((sum, one) => sum + one.sum + one.last + 2, level.sum + level.last)
}

/** Patterns up to this many times the limit are compiled to find out their size. */
const ESTIMATE_SLACK = 8

/** Literals in quotes, escapes, classes, repetitions, and single characters. */
const TOKENS =
  /\\Q(?:(?!\\E)[\s\S])*(?:\\E)?|\\(?:[xpPk]\{[^}]*\}|[\s\S])|\[\^?\]?(\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*(\])|\{(\d+)(?:,(\d*))?\}|[\s\S]/gu
