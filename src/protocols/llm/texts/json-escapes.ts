/** The state of reading a JSON text in pieces. */
export interface JsonPosition {
  readonly isInString: boolean
  /** The beginning of an incomplete escape. */
  readonly begun: string
}

/** The state before the first piece. */
export const jsonBegin: JsonPosition = { isInString: false, begun: '' }

/** A piece of JSON without its escapes. */
export interface ReadableJson {
  readonly text: string
  /** The state after this piece. */
  readonly end: JsonPosition
  /** An escape that began in an earlier piece: its rest in this piece, and the character that it stands for. */
  readonly lead: { readonly written: string; readonly shown: string }
}

/**
 * Decodes the escapes in a piece of JSON: `ü` for `\u00fc` and a line break for `\n`. Only quotes and backslashes keep
 * their backslash, so that strings keep their ends. An escape that two pieces share belongs to the second.
 *
 * Without it, `{"a":"one\n123-45-6789"}` would have an `n` before the number, and no guard would find it.
 */
export const readableJson = (piece: string, at: JsonPosition): ReadableJson => {
  const written = at.begun + piece
  let { isInString } = at
  let begun = ''
  let lead = { written: '', shown: '' }
  const text = written.replaceAll(quotesAndEscapes, (found: string, offset: number) => {
    const [shown, isBegun] = found === '"' ? [found, false] : isInString ? decoded(found) : [found, false]
    if (found === '"') isInString = !isInString
    if (isBegun) begun = found
    if (offset === 0 && at.begun !== '') lead = { written: found.slice(at.begun.length), shown }
    return shown
  })
  return { text, end: { isInString, begun }, lead }
}

/**
 * Encodes the text of {@link readableJson}, changed or not, as JSON. Text that replaced a number becomes a string.
 *
 * @param isInString Whether the text begins in a string.
 */
export const writtenJson = (text: string, isInString: boolean): string => {
  let written = ''
  let isWord = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (isInString) {
      const next = text[i + 1]
      if (char === '\\' && (next === '"' || next === '\\')) {
        written += char + next
        i++
        continue
      }
      isInString = char !== '"'
      written += char === '"' ? char : escaped(char)
    } else if (isWord && !/[\s,:\]}]/.test(char)) written += escaped(char)
    else {
      if (isWord) written += '"'
      isWord = !/[\w\s"{}[\]:,+.-]/.test(char)
      if (isWord) written += '"'
      isInString = char === '"'
      written += char
    }
  }
  return isWord ? `${written}"` : written
}

const quotesAndEscapes = /"|\\(?:u[\da-f]{4}|u[\da-f]{0,3}$|[^u]|$)/gi

/** The character that an escape in a string stands for, and whether the escape is incomplete. */
const decoded = (escape: string): readonly [shown: string, isBegun: boolean] => {
  if (escape === '\\' || (escape[1] === 'u' && escape.length < 6)) return ['', true]
  if (!/^\\["\\/bfnrtu]/.test(escape)) return [escape, false]
  const char = JSON.parse(`"${escape}"`) as string
  return [char === '"' || char === '\\' ? `\\${char}` : char, false]
}

const escaped = (char: string): string =>
  char < ' ' || char === '"' || char === '\\' ? JSON.stringify(char).slice(1, -1) : char
