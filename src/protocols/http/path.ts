import type { HeadRefusalCode } from './head-refusal.ts'
import { PathBuilder } from './path-builder.ts'
import { escapeFate, escapeFates, escapedByte, plainCharacters } from './path-characters.ts'

/** The two choices that path normalisation leaves open. */
export interface PathRules {
  /**
   * `refuse`: a backslash, `%2F` or `%5C` in the path ends the request. `keep`: they stay in the path as escapes
   * (`%2F`, `%5C`) and are never taken for separators; a dot segment between them is refused all the same.
   */
  readonly encodedSlashes: 'refuse' | 'keep'
  /** Whether a run of slashes becomes one, as many servers will read it. Otherwise `//a` and `/a` are two paths. */
  readonly mergeSlashes: boolean
}

/** Refuse encoded slashes, keep repeated ones. */
export const defaultPathRules: PathRules = { encodedSlashes: 'refuse', mergeSlashes: false }

/** A request target in its one spelling: what rules match is what goes upstream. */
export interface NormalTarget {
  /** `path` and `query` together. */
  readonly target: string
  readonly path: string
  /** From the question mark on, as it was sent; empty if there was none. */
  readonly query: string
}

/** Why a target is refused. */
export type TargetRefusal = Extract<HeadRefusalCode, `target_${string}` | 'malformed_target'>

/**
 * Normalises the path of an origin-form target (RFC 3986 section 6.2.2), or says why it is refused.
 *
 * - `.` and `..` segments are resolved, plain or percent-encoded; `..` at the root stays at the root.
 * - Escapes of unreserved characters are decoded, other escapes upper-cased, broken ones refused. `%25` stays, so
 *   nothing is decoded twice. `%3A` and `:` remain different paths, as RFC 3986 wants for reserved characters.
 * - Characters that do not belong in a path (`"<>[]^` and others, bytes above 127) are percent-encoded.
 * - NUL, control characters, spaces, `#` and overlong UTF-8 are refused, raw or encoded.
 * - `..;x` and `.;x` are refused: servers with path parameters read them as dot segments, others do not. Parameters of
 *   other segments stay, so `/admin;x` is not `/admin`: a rule that denies by exact path should use a prefix or regex.
 *
 * A clean target costs one scan and comes back as the same string. The query is not rewritten, only checked.
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

/** Where a path that needs no rewriting ends; -1 if it must be looked at closely. */
const endOfCleanPath = (target: string, rules: PathRules): number => {
  const length = target.length
  for (let i = 0; i < length; i++) {
    const code = target.charCodeAt(i)
    if (plainCharacters[code] === 1) continue
    if (code === SLASH) {
      const next = target.charCodeAt(i + 1)
      if (next === DOT ? mayBeDotSegment(target, i + 2) : next === SLASH && rules.mergeSlashes) return -1
    } else if (code === PERCENT) {
      if (!isSettledEscape(target, i)) return -1
      i += 2
    } else return code === QUESTION ? i : -1
  }
  return length
}

/** After `/.`: `/.well-known` is plain, everything else is left to the careful reading. */
const mayBeDotSegment = (target: string, i: number): boolean => {
  const code = target.charCodeAt(i)
  return code === DOT || code === SEMICOLON || plainCharacters[code] !== 1
}

/** An escape that stays as it is: upper case, and not of a character that is decoded, refused or checked further. */
const isSettledEscape = (target: string, i: number): boolean => {
  const byte = escapedByte(target, i)
  if (byte < 0 || escapeFates[byte] !== escapeFate.kept) return false
  // Every letter above F is lower case here: `escapedByte` let only hexadecimal digits through.
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
