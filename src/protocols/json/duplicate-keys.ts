/**
 * Whether any object of a JSON text has a repeated name, at any depth and in any spelling: some readers use the first
 * value and some the last (RFC 8259 §4), so a policy might check one and the upstream use the other.
 *
 * Linear, and without recursion. For invalid JSON the result is unspecified; it neither throws nor hangs.
 *
 * @example
 * repeatsNames('[{"a":1,"b":{"a":2}}]') // false
 * repeatsNames('[{"a":1,"\\u0061":2}]') // true
 */
export const repeatsNames = (text: string): boolean => {
  /** The names so far of each open bracket; undefined for arrays. */
  const open: (Set<string> | undefined)[] = []
  let names: Set<string> | undefined
  let isName = false
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        names = text.charCodeAt(i) === OPEN_OBJECT ? new Set() : undefined
        open.push(names)
        isName = names !== undefined
        break
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop()
        names = open.at(-1)
        isName = false
        break
      case COMMA:
        isName = names !== undefined
        break
      case QUOTE: {
        const end = endOfString(text, i)
        if (isName && names) {
          const name = nameIn(text, i, end)
          if (names.has(name)) return true
          names.add(name)
        }
        isName = false
        i = end
      }
    }
  }
  return false
}

/** The position of the closing quotation mark; the text's length if there is none. */
const endOfString = (text: string, start: number): number => {
  for (let mark = text.indexOf('"', start + 1); mark >= 0; mark = text.indexOf('"', mark + 1)) {
    let before = mark
    while (text.charCodeAt(before - 1) === BACKSLASH && before - 1 > start) before--
    if ((mark - before) % 2 === 0) return mark
  }
  return text.length
}

/** Decoded, so that all spellings of a name are equal. */
const nameIn = (text: string, start: number, end: number): string => {
  const name = text.slice(start + 1, end)
  if (!name.includes('\\')) return name
  try {
    return JSON.parse(`"${name}"`) as string
  } catch {
    return name
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
