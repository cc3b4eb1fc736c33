/** Where something other than blanks and comments (`//` to the end of the line) begins, from `at` on. */
export const skipBlank = (text: string, at: number): number => {
  blank.lastIndex = at
  blank.exec(text)
  return blank.lastIndex
}

/** The place of the brace that closes the one at `opening`, whatever strings and comments are between; if there is one. */
export const bodyEnd = (text: string, opening: number): number | undefined => {
  let depth = 0
  for (let at = opening; at < text.length;) {
    const char = text.charAt(at)
    if (char === '{') depth++
    if (char === '}' && --depth === 0) return at
    if (char === '"' || char === "'") at = stringEnd(text, at)
    else if (char === '/' && text.charAt(at + 1) === '/') at = skipBlank(text, at)
    else at++
  }
  return undefined
}

/** Where the text goes on after the string that begins at `start`. */
export const stringEnd = (text: string, start: number): number => {
  const quote = text.charAt(start)
  const delimiter = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++
    else if (text.startsWith(delimiter, at)) return at + delimiter.length
  }
  return text.length
}

const blank = /(?:\s|\/\/[^\n]*)*/y
