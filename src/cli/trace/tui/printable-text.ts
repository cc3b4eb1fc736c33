/** Text without anything that controls a terminal or hides: only {@link printableText} makes it. */
export type Printable = string & { readonly [checked]: true }

declare const checked: unique symbol

/**
 * Makes text from the network safe for a terminal: control characters become their pictures, and invisible or reordering
 * characters become their code points. A header value cannot move the cursor, set the title or change what is shown.
 *
 * @example
 * printableText('\u001b[2J') // '␛[2J'
 */
export const printableText = (text: string): Printable =>
  (unsafe.test(text) ? text.toWellFormed().replaceAll(unsafeAll, shown) : text) as Printable

/** The lines of a text, each safe for a terminal; tabs become spaces. */
export const printableLines = (text: string): readonly Printable[] =>
  text.split(/\r\n|\n/).map((line) => printableText(line.replaceAll('\t', '    ')))

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/u
const unsafeAll = new RegExp(unsafe, 'gu')

const shown = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(firstPicture + code)
  if (code === 0x7f) return '␡'
  // Text or emoji: it changes only the style of the character before it.
  if (code === 0xfe0e || code === 0xfe0f) return ''
  return `\\u{${code.toString(16)}}`
}

/** U+2400, the picture of NUL. */
const firstPicture = 0x2400
