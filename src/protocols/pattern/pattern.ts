import { RE2JS } from 're2js'
import { isLinear } from './is-linear.ts'

/** Tests whether a whole text matches. Takes linear time for every pattern. */
export type Pattern = (text: string) => boolean

/**
 * Compiles a configured regular expression (RE2 syntax) for texts that callers choose.
 *
 * V8's engine is 10–100 times faster than RE2 in JavaScript but can be made to backtrack for minutes; it is used only
 * for patterns that are proved not to.
 *
 * @throws Error with RE2's explanation if the pattern is not valid.
 * @example
 * const isUser = pattern('/users/[^/]+')
 * isUser('/users/7') // true
 */
export const pattern = (text: string): Pattern => {
  const re2 = RE2JS.compile(text)
  if (!isLinear(text)) return (input) => re2.testExact(input)
  const v8 = new RegExp(`^(?:${text})$`)
  return (input) => v8.test(input)
}
