/**
 * The offset of the first character from `at` on that is neither blank nor in a comment (`//` to the end of
 * the line).
 */
export const skipCelBlank = (text: string, at: number): number => {
  blank.lastIndex = at
  blank.exec(text)
  return blank.lastIndex
}

/**
 * The offset of the brace that closes the one at `opening`, skipping strings and comments; undefined if
 * there is none.
 */
export const bodyEnd = (text: string, opening: number): number | undefined => {
  let depth = 0
  for (let at = opening; at < text.length;) {
    const char = text.charAt(at)
    if (char === '{') depth++
    if (char === '}' && --depth === 0) return at
    if (char === '"' || char === "'") at = celStringEnd(text, at)
    else if (char === '/' && text.charAt(at + 1) === '/') at = skipCelBlank(text, at)
    else at++
  }
  return undefined
}

/** The offset after the string that begins at `start`. */
export const celStringEnd = (text: string, start: number): number => {
  const quote = text.charAt(start)
  const delimiter = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++
    else if (text.startsWith(delimiter, at)) return at + delimiter.length
  }
  return text.length
}

const blank = /(?:\s|\/\/[^\n]*)*/y
