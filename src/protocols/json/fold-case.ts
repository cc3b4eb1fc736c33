/**
 * A case-folded name, as case-insensitive readers of JSON compare them: simple case folding of Unicode, so
 * that `ſ` is an `s` and the Kelvin sign a `k`. Such a reader takes two names for the same if they fold
 * alike.
 *
 * @example
 * foldCase('Max_To\u212aens') // 'max_tokens'
 */
export const foldCase = (name: string): string => {
  if (FOLDED.test(name)) return name
  let folded = ''
  for (const char of name) folded += foldOne(char)
  return folded
}

/** Most names: no character has another case. */
const FOLDED = /^[\u0000-\u0040\u005b-\u007f]*$/

/**
 * Through the upper case, which `ſ` and `ς` share with `s` and `σ`. Characters without a single-character
 * case are kept.
 */
const foldOne = (char: string): string => {
  const upper = char.toUpperCase()
  const lower = (isOne(upper) ? upper : char).toLowerCase()
  return isOne(lower) ? lower : char
}

const isOne = (text: string): boolean => text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)
