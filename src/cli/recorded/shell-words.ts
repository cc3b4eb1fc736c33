/**
 * The words of a command line, without expansions: quotes and backslashes as in a shell.
 *
 * @example
 * shellWords(`curl -H 'x-team: blue' "http://localhost"`) // ['curl', '-H', 'x-team: blue', 'http://localhost']
 */
export const shellWords = (line: string): readonly string[] => {
  const words: string[] = []
  let word: string | undefined
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? ''
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (char === "'") {
      const end = closing(line, i, "'")
      word += line.slice(i + 1, end)
      i = end
    } else if (char === '"') {
      const end = closing(line, i, '"')
      word += line.slice(i + 1, end).replaceAll(/\\(["\\$`])/g, '$1')
      i = end
    } else if (char === '\\') word += line[++i] ?? ''
    else word += char
  }
  return word === undefined ? words : [...words, word]
}

/** The position of the quote that ends a text; the end of the line if it is missing. */
const closing = (line: string, from: number, quote: string): number => {
  for (let i = from + 1; i < line.length; i++) {
    if (quote === '"' && line[i] === '\\') i++
    else if (line[i] === quote) return i
  }
  return line.length
}
