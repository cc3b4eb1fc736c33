import { RE2JS } from 're2js'
import { isLinear } from '../../protocols/pattern/is-linear.ts'
import { celError } from '../engine/eval-error.ts'
import { limits } from '../limits.ts'
import { chargeCost, tick } from '../engine/cost-meter.ts'
import { trackCache } from '../../model/introspection/cache-usage.ts'

/**
 * A compiled regular expression. The engine is RE2's: its time is linear in text and pattern for all inputs,
 * at the price of look-around and back-references.
 */
export interface CelPattern {
  readonly regex: RE2JS
  /** Instructions it compiled to. */
  readonly size: number
  /**
   * The same pattern for V8, if it is proved to take linear time there: 0.08 µs instead of 0.6 for a path.
   */
  readonly native?: RegExp
}

/** Compiles a pattern literal; throws an `Error` with the mistake. */
export const constantPattern = (source: string): CelPattern => {
  const pattern = compilePattern(source, limits.patternChars, limits.patternSize)
  return isNative(source) ? { ...pattern, native: new RegExp(source) } : pattern
}

/** A pattern that is computed during an evaluation. The last few are cached. */
export const computedPattern = (source: string): CelPattern => {
  const known = computed.get(source)
  if (known) return known
  let repeats = 0
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) repeats += Number(most ?? least)
  if (repeats > limits.computedRepeats)
    throw celError('limit_exceeded', 'the regular expression repeats too much')
  const pattern = compilePattern(source, limits.computedPatternChars, limits.computedPatternSize)
  if (computed.size >= limits.computedPatterns) computed.delete(computed.keys().next().value as string)
  computed.set(source, pattern)
  return pattern
}

/** Whether any part of `text` matches. */
export const matches = (pattern: CelPattern, text: string): boolean => {
  if (pattern.native) {
    chargeCost(text.length >> 6)
    return pattern.native.test(text)
  }
  chargeForScan(pattern, text)
  return pattern.regex.test(text)
}

/** A parsed replacement text: its literal parts and its group references. */
export type Replacement = readonly (string | { readonly group: string | number })[]

/** Parses `$1`, `$name`, `${1}` and `${name}`; `$$` is a dollar sign. */
export const parseReplacement = (text: string): Replacement => {
  const parts: (string | { group: string | number })[] = []
  let from = 0
  for (const found of text.matchAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g)) {
    parts.push(text.slice(from, found.index))
    const name = found[2] ?? found[3]
    parts.push(name === undefined ? '$' : { group: /^\d+$/.test(name) ? Number(name) : name })
    from = found.index + found[0].length
  }
  parts.push(text.slice(from))
  return parts
}

/** `text` with every match replaced. Groups that do not exist or did not match are empty. */
export const replaceAll = (pattern: CelPattern, text: string, replacement: Replacement): string => {
  chargeForScan(pattern, text)
  const matcher = pattern.regex.matcher(text)
  const names = pattern.regex.namedGroups()
  const groupText = (group: string | number): string => {
    const index = typeof group === 'number' ? group : names[group]
    return index === undefined || index > pattern.regex.groupCount() ? '' : (matcher.group(index) ?? '')
  }
  let result = ''
  let from = 0
  while (matcher.find()) {
    // Each search is linear, so all together are quadratic at worst: the clock bounds them.
    tick()
    result += text.slice(from, matcher.start())
    for (const part of replacement) result += typeof part === 'string' ? part : groupText(part.group)
    from = matcher.end()
    if (result.length > maxResultChars) throw celError('limit_exceeded', 'the replaced text is too long')
  }
  return result + text.slice(from)
}

/**
 * Whether V8 finds the same matches as RE2 in linear time. The proof covers patterns anchored at the start
 * of the text; a pattern that need not reach the end tries no more alternatives than one that must. Beyond
 * that, only syntax with the same meaning in both engines is accepted: ASCII, no `.`, no negated class, no
 * escape but `\d`, `\w` and punctuation.
 */
const isNative = (source: string): boolean => {
  const body = /^\^([\x20-\x7e]*?)(?<!\\)\$?$/.exec(source)?.[1]
  if (body === undefined || /\\[a-ce-vx-zA-Z0-9]|\[[\^\]]|[$^]/.test(body)) return false
  return !/(?<!\\)\./.test(body.replace(/\[(?:\\.|[^\]\\])*\]/g, '')) && isLinear(body)
}

const maxResultChars = 1 << 24

const computed = trackCache('cel_patterns', new Map<string, CelPattern>(), {
  maxEntries: limits.computedPatterns,
})

const compilePattern = (source: string, maxChars: number, maxSize: number): CelPattern => {
  if (source.length > maxChars)
    throw celError('limit_exceeded', `a regular expression may have ${maxChars} characters here`)
  try {
    const regex = RE2JS.compile(source)
    const size = regex.programSize()
    if (size > maxSize) throw celError('limit_exceeded', 'the regular expression is too large')
    return { regex, size }
  } catch (cause) {
    if (cause instanceof Error && cause.name.startsWith('RE2JS'))
      throw celError(
        'invalid_regular_expression',
        cause.message.replace(/^error parsing regexp: /, 'regular expression: '),
      )
    throw cause
  }
}

/**
 * Worst case measured: 100 ns per character and instruction, if the automaton has too many states to cache;
 * usually a hundredth of that. One unit for 32 of them lets a pattern of size 16 scan 2 MiB.
 */
const chargeForScan = (pattern: CelPattern, text: string): void => {
  chargeCost(Math.floor((text.length * pattern.size) / 32))
}
