/** Where the members of an object are in its text. */
export interface MemberSpans {
  /** In order of the text; no name comes twice. */
  readonly spans: readonly MemberSpan[]
  /** The offset behind the opening bracket. */
  readonly begin: number
}

/** One member: where its name and its value are. Ends are behind the last byte. */
export interface MemberSpan {
  /** Decoded. */
  readonly name: string
  /** Behind the member before it, so that the comma is its own. The first one has none. */
  readonly gapStart: number
  /** With its quotation marks. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly valueStart: number
  readonly valueEnd: number
}

/** Deeper nesting is refused: whoever walks through it recursively would run out of stack. */
const MAX_DEPTH = 512

/**
 * Finds the members of the object that a JSON text is. Names are compared decoded, and one that comes twice is refused:
 * two readers would see two different things (RFC 8259 §4). What is nested inside of values is their own business.
 *
 * One pass without recursion. Only what is needed to find the members is checked: of bytes that are no JSON it may find
 * some, never more than there are. For a prompt of 400 KB it takes from a tenth to 0.8 of the time of `JSON.parse`.
 */
export const memberSpans = (bytes: Buffer): MemberSpans | { readonly problem: string } => {
  const spans: MemberSpan[] = []
  const names = new Set<string>()
  let i = blank(bytes, 0)
  if (bytes[i] !== OPEN_OBJECT) return notAnObject
  const begin = i + 1
  i = blank(bytes, begin)
  if (bytes[i] !== CLOSE_OBJECT)
    for (;;) {
      if (bytes[i] !== QUOTE) return notJson
      const nameStart = i
      const nameEnd = stringEnd(bytes, i)
      if (nameEnd < 0) return notJson
      const name = decoded(bytes, nameStart, nameEnd)
      if (name === undefined) return notJson
      if (names.has(name)) return { problem: `it has the field ${shown(name)} twice` }
      names.add(name)
      i = blank(bytes, nameEnd)
      if (bytes[i] !== COLON) return notJson
      const valueStart = blank(bytes, i + 1)
      const valueEnd = endOf(bytes, valueStart)
      if (valueEnd === TOO_DEEP) return { problem: `it is nested deeper than ${String(MAX_DEPTH)} levels` }
      if (valueEnd < 0) return notJson
      spans.push({
        name,
        gapStart: spans.at(-1)?.valueEnd ?? nameStart,
        nameStart,
        nameEnd,
        valueStart,
        valueEnd,
      })
      i = blank(bytes, valueEnd)
      if (bytes[i] === CLOSE_OBJECT) break
      if (bytes[i] !== COMMA) return notJson
      i = blank(bytes, i + 1)
    }
  return blank(bytes, i + 1) === bytes.length ? { spans, begin } : notJson
}

const notJson = { problem: 'it is not JSON' }
const notAnObject = { problem: 'it is not an object' }

const shown = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)

/** The text of a string that stands there; undefined for one that is none. */
const decoded = (bytes: Buffer, start: number, end: number): string | undefined => {
  const text = bytes.toString('utf8', start + 1, end - 1)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}

const blank = (bytes: Buffer, start: number): number => {
  let i = start
  for (;;) {
    const byte = bytes[i]
    if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return i
    i++
  }
}

/** Behind a value; -1 if there is none or it does not end, TOO_DEEP if it holds too much. */
const endOf = (bytes: Buffer, start: number): number => {
  const first = bytes[start]
  if (first === QUOTE) return stringEnd(bytes, start)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return bracketEnd(bytes, start)
  let i = start
  for (; i < bytes.length; i++) {
    const byte = bytes[i] as number
    if (byte === COMMA || byte === CLOSE_OBJECT || byte <= SPACE) break
    if (byte === QUOTE || byte === COLON || byte === OPEN_OBJECT || byte === OPEN_ARRAY) return -1
  }
  return i > start ? i : -1
}

const bracketEnd = (bytes: Buffer, start: number): number => {
  // The object around it is a level as well.
  let depth = 1
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i = stringEnd(bytes, i) - 1
      if (i < 0) return -1
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return TOO_DEEP
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 1) return i + 1
  }
  return -1
}

/**
 * Behind the closing quotation mark; -1 if there is none. A few bytes are looked at one by one, since most strings end
 * there and escapes come in crowds; from there on the next mark is searched for natively.
 */
const stringEnd = (bytes: Buffer, start: number): number => {
  let i = start + 1
  for (;;) {
    const near = Math.min(i + NEAR, bytes.length)
    for (; i < near; i++) {
      const byte = bytes[i]
      if (byte === QUOTE) return i + 1
      if (byte === BACKSLASH) i++
    }
    const mark = bytes.indexOf(QUOTE, i)
    if (mark < 0 || i >= bytes.length) return -1
    let before = mark
    while (before > i && bytes[before - 1] === BACKSLASH) before--
    if ((mark - before) % 2 === 0) return mark + 1
    i = mark + 1
  }
}

const NEAR = 32
const TOO_DEEP = -2
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
