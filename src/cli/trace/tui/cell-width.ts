import type { Printable } from './printable-text.ts'

/** How many cells of a terminal a text fills: two for wide characters, none for combining ones. */
export const cellWidth = (text: Printable): number => {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** The beginning of a text that fills at most this many cells; with `…` if something is missing. */
export const clipCells = (text: Printable, cells: number): Printable => {
  if (text.length <= cells && ascii.test(text)) return text
  if (cells <= 0) return '' as Printable
  let width = 0
  let end = 0
  let endBefore = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > cells) return `${text.slice(0, endBefore)}…` as Printable
    end += character.length
    // Leaves a cell for the mark.
    if (width < cells) endBefore = end
  }
  return text
}

/** The text in pieces of at most this many cells; one empty piece for an empty text. */
export const wrapCells = (text: Printable, cells: number): readonly Printable[] => {
  const pieces: Printable[] = []
  let piece = ''
  let width = 0
  for (const character of text) {
    const more = widthOf(character)
    if (width + more > Math.max(cells, 2)) {
      pieces.push(piece as Printable)
      piece = ''
      width = 0
    }
    piece += character
    width += more
  }
  return [...pieces, piece as Printable]
}

const widthOf = (character: string): number => {
  if (character < '\u0300') return 1
  if (combining.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

const ascii = /^[ -~]*$/
const combining = /[\p{Mn}\p{Me}]/u
/** East Asian wide and fullwidth characters, and emoji. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
