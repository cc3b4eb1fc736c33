/**
 * Splits a text into the mock's tokens: words with the space before them, long ones in pieces. Joined they are the text
 * again.
 */
export function* mockTokens(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = tokenEnd(text, at)
    yield text.slice(at, end)
    at = end
  }
}

/** Number of the mock's tokens of a text. */
export const countMockTokens = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at = tokenEnd(text, at)) count++
  return count
}

const MAX_LENGTH = 16

const tokenEnd = (text: string, start: number): number => {
  let i = start
  while (i < text.length && isSpace(text.charCodeAt(i))) i++
  const limit = i + MAX_LENGTH
  while (i < text.length && i < limit && !isSpace(text.charCodeAt(i))) i++
  // A surrogate pair must not be split.
  if (isHighSurrogate(text.charCodeAt(i - 1))) i++
  return i
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00
