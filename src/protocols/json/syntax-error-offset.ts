/**
 * The offset of the first invalid character of a JSON text (RFC 8259), or the text's length if it ends too
 * early; undefined if the text is valid. `JSON.parse` reports the offset for some mistakes only, and its
 * messages quote the text, which may be confidential.
 *
 * Linear, and without recursion.
 */
export const breakInJson = (text: string): number | undefined => {
  /** The closing brackets of the open ones. */
  const closers: string[] = []
  let expected: Expected = 'value'
  for (let i = skipSpace(text, 0); ; i = skipSpace(text, i)) {
    const char = text[i]
    const closer = closers.at(-1)
    if (char === undefined) return expected === 'end' ? undefined : text.length
    if (expected === 'end') return i
    if (closesHere.has(expected) && char === closer) {
      closers.pop()
      i++
      expected = closers.length > 0 ? 'comma' : 'end'
    } else if (expected === 'comma') {
      if (char !== ',') return i
      i++
      expected = closer === '}' ? 'name' : 'value'
    } else if (expected === 'colon') {
      if (char !== ':') return i
      i++
      expected = 'value'
    } else if (expected === 'name' || expected === 'first name') {
      if (char !== '"') return i
      const end = literalAt(text, i)
      if (end.broken) return end.at
      i = end.at
      expected = 'colon'
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      i++
      expected = char === '{' ? 'first name' : 'first value'
    } else {
      const end = literalAt(text, i)
      if (end.broken) return end.at
      i = end.at
      expected = closers.length > 0 ? 'comma' : 'end'
    }
  }
}

type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'end'
const closesHere: ReadonlySet<Expected> = new Set(['first value', 'first name', 'comma'])

const skipSpace = (text: string, from: number): number => {
  let i = from
  while (text[i] === ' ' || text[i] === '\n' || text[i] === '\r' || text[i] === '\t') i++
  return i
}

/** The position where a string, a number or a literal ends or is broken. */
const literalAt = (text: string, start: number): { readonly at: number; readonly broken: boolean } => {
  for (const word of ['true', 'false', 'null'])
    if (text.startsWith(word, start)) return { at: start + word.length, broken: false }
  number.lastIndex = start
  if (number.test(text)) return { at: number.lastIndex, broken: false }
  if (text[start] !== '"') return { at: start, broken: true }
  // Piece by piece: an expression for whole strings would need stack in proportion to their length.
  let i = start + 1
  while (text[i] !== '"') {
    piece.lastIndex = i
    if (!piece.test(text)) return { at: i, broken: true }
    i = piece.lastIndex
  }
  return { at: i + 1, broken: false }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const piece = /[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y
