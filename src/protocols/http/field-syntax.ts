/** Whether a text is a token (RFC 9110 section 5.6.2): what a field name, a method or a list option may be. */
export const isToken = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (tokenCharacters[text.charCodeAt(i)] !== 1) return false
  return text.length > 0
}

/**
 * Whether a text may be a field value: visible characters, spaces, tabs and bytes above 127. No other control
 * character, nothing a single byte cannot carry.
 */
// A precompiled expression: 29 ns for a value of 35 characters, 0.7 ns a character; the loop over a table took
// 35.
export const isFieldValue = (text: string): boolean => !notInValue.test(text)

/**
 * The elements of a comma-separated list of tokens in lower case, without empty ones; `undefined` if one is
 * not a token.
 *
 * @example
 * parseTokenList('Close, X-Trace,,') // ['close', 'x-trace']
 */
export const parseTokenList = (value: string): readonly string[] | undefined => {
  const tokens: string[] = []
  for (const element of value.split(',')) {
    const token = trimBlanks(element)
    if (token === '') continue
    if (!isToken(token)) return undefined
    tokens.push(token.toLowerCase())
  }
  return tokens
}

/** Removes spaces and tabs only: `trim` would also remove characters that are refused here. */
const trimBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

const notInValue = /[^\t\x20-\x7e\x80-\xff]/

const tokenCharacters = new Uint8Array(128)
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  tokenCharacters[character.charCodeAt(0)] = 1
}
