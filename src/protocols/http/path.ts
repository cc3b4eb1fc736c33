import { PathBuilder } from './path-builder.ts'
import { escapeFate, escapeFates, escapedByte, plainCharacters } from './path-characters.ts'
import { type PathRules, type TargetRefusal, defaultPathRules } from './path-rules.ts'

/** A normalised request target: the form that rules match and that is sent upstream. */
export interface NormalTarget {
  /** `path` and `query` together. */
  readonly target: string
  readonly path: string
  /** From the question mark on, unchanged; empty if there is none. */
  readonly query: string
}

/**
 * Normalises the path of an origin-form target (RFC 3986 section 6.2.2), or returns the reason of a refusal.
 *
 * - `.` and `..` segments are resolved, plain or percent-encoded; `..` at the root stays at the root.
 * - Escapes of unreserved characters are decoded, other escapes upper-cased, broken ones refused. `%25` is
 * kept, so nothing is decoded twice. `%3A` and `:` remain different paths, as RFC 3986 requires for reserved
 * characters.
 * - Characters that are invalid in a path (`"<>[]^` and others, bytes above 127) are percent-encoded.
 * - NUL, control characters, spaces, `#` and overlong UTF-8 are refused, raw or encoded.
 * - `..;x` and `.;x` are refused: servers with path parameters read them as dot segments, others do not.
 * Parameters of other segments are kept, so `/admin;x` is not `/admin`: a rule that denies by exact path
 * should use a prefix or regex.
 *
 * A clean target costs one scan and is returned as the same string. The query is checked, but not changed.
 *
 * @example
 * normalizeTarget('/a/./b/../%7euser?q=%2e') // { target: '/a/~user?q=%2e', path: '/a/~user', query: '?q=%2e' }
 */
export const normalizeTarget = (
  target: string,
  rules: PathRules = defaultPathRules,
): NormalTarget | TargetRefusal => {
  if (target.charCodeAt(0) !== SLASH) return 'malformed_target'
  const end = endOfCleanPath(target, rules)
  if (end === target.length) return { target, path: target, query: '' }
  const mark = end < 0 ? target.indexOf('?') : end
  const query = mark < 0 ? '' : target.slice(mark)
  const refusal = checkQuery(query)
  if (refusal) return refusal
  const raw = mark < 0 ? target : target.slice(0, mark)
  if (end >= 0) return { target, path: raw, query }
  const builder = new PathBuilder(rules)
  const path = builder.build(raw)
  return builder.refusal ?? { target: path === raw ? target : path + query, path, query }
}

/** The end of a path that needs no rewriting; -1 if it needs the slow path. */
const endOfCleanPath = (target: string, rules: PathRules): number => {
  const length = target.length
  for (let i = 0; i < length; i++) {
    const code = target.charCodeAt(i)
    if (plainCharacters[code] === 1) continue
    if (code === SLASH) {
      const next = target.charCodeAt(i + 1)
      if (next === DOT ? mayBeDotSegment(target, i + 2) : next === SLASH && rules.mergeSlashes) return -1
    } else if (code === PERCENT) {
      if (!isFinalEscape(target, i)) return -1
      i += 2
    } else return code === QUESTION ? i : -1
  }
  return length
}

/** After `/.`: `/.well-known` is plain, everything else needs the slow path. */
const mayBeDotSegment = (target: string, i: number): boolean => {
  const code = target.charCodeAt(i)
  return code === DOT || code === SEMICOLON || plainCharacters[code] !== 1
}

/** An escape that is kept: upper case, and not of a character that is decoded, refused or checked further. */
const isFinalEscape = (target: string, i: number): boolean => {
  const byte = escapedByte(target, i)
  if (byte < 0 || escapeFates[byte] !== escapeFate.kept) return false
  // Every letter above F is lower case here: `escapedByte` accepts hexadecimal digits only.
  return target.charCodeAt(i + 1) <= UPPER_F && target.charCodeAt(i + 2) <= UPPER_F
}

const checkQuery = (query: string): TargetRefusal | undefined => {
  for (let i = 1; i < query.length; i++) {
    const code = query.charCodeAt(i)
    if (code <= 0x20 || code === 0x7f) return 'target_control_character'
    if (code === HASH) return 'target_fragment'
    if (code > 0xff) return 'malformed_target'
  }
  return undefined
}

const SLASH = 0x2f
const DOT = 0x2e
const PERCENT = 0x25
const QUESTION = 0x3f
const SEMICOLON = 0x3b
const HASH = 0x23
const UPPER_F = 0x46
