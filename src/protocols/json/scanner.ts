// Skips values of a JSON text. Checks only as much as that requires: in invalid JSON, positions may be found as
// well. Strings, not bytes: V8 finds a character in a string in a quarter of the time that it takes to find a
// byte in a buffer.

/** Deeper nesting is refused: recursive readers would overflow the stack. */
export const MAX_DEPTH = 512

/** Returned instead of an offset if a value is nested too deeply. */
export const TOO_DEEP = -2

/** The position of the next character that is not a blank. */
export const skipBlank = (text: string, start: number): number => {
  let i = start
  for (;;) {
    const code = text.charCodeAt(i)
    if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return i
    i++
  }
}

/**
 * The position after a value; -1 if there is none or it does not end, TOO_DEEP if it is nested too deeply.
 * No recursion.
 */
export const valueEnd = (text: string, start: number): number => {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return stringEnd(text, start)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return bracketEnd(text, start)
  let i = start
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === CLOSE_OBJECT || code <= SPACE) break
    if (code === QUOTE || code === COLON || code === OPEN_OBJECT || code === OPEN_ARRAY) return -1
  }
  return i > start ? i : -1
}

/** The position after the closing quotation mark; -1 if there is none. */
export const stringEnd = (text: string, start: number): number => {
  let i = start + 1
  for (;;) {
    const mark = text.indexOf('"', i)
    if (mark < 0) return -1
    let before = mark
    while (before > i && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((mark - before) % 2 === 0) return mark + 1
    i = mark + 1
  }
}

const bracketEnd = (text: string, start: number): number => {
  // The enclosing object is a level as well.
  let depth = 1
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = stringEnd(text, i) - 1
      if (i < 0) return -1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH) return TOO_DEEP
    } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && --depth === 1) return i + 1
  }
  return -1
}

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
/** `"` */
export const QUOTE = 0x22
/** `,` */
export const COMMA = 0x2c
/** `:` */
export const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
/** `{` */
export const OPEN_OBJECT = 0x7b
/** `}` */
export const CLOSE_OBJECT = 0x7d
