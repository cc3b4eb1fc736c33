import { cellWidth, clipCells, wrapCells } from './cell-width.ts'
import { printableText, type Printable } from './printable-text.ts'

/** The role of a text; the terminal has a colour or another attribute for each. */
export type Tone = 'plain' | 'dim' | 'strong' | 'accent' | 'good' | 'warn' | 'bad' | 'selected' | 'hit'

/** Text of one tone. */
export interface StyledText {
  readonly text: Printable
  readonly tone: Tone
}

/** A line of the screen. */
export type Line = readonly StyledText[]

/** A span of any text. */
export const span = (text: string, tone: Tone = 'plain'): StyledText => ({ text: printableText(text), tone })

/** A line of one tone. */
export const line = (text: string, tone: Tone = 'plain'): Line => [span(text, tone)]

/** The text of a line without tones. */
export const lineText = (spans: Line): string => spans.map(({ text }) => text).join('')

/** A line that is clipped to the width of the screen. */
export const clipLine = (spans: Line, columns: number): Line => {
  const clipped: StyledText[] = []
  let left = columns
  for (const { text, tone } of spans) {
    if (left <= 0) break
    const part = clipCells(text, left)
    clipped.push({ text: part, tone })
    left -= cellWidth(part)
  }
  return clipped
}

/** A text in a column: clipped, and filled with spaces at its end (or its start, for `right`). */
export const cell = (text: string, columns: number, tone: Tone = 'plain', side = 'left'): StyledText => {
  const part = clipCells(printableText(text), columns)
  const fill = ' '.repeat(Math.max(0, columns - cellWidth(part)))
  return { text: (side === 'right' ? fill + part : part + fill) as Printable, tone }
}

/** A long text on as many lines as it needs, all indented alike. */
export const wrapLine = (text: string, columns: number, tone: Tone = 'plain', indent = ''): Line[] =>
  wrapCells(printableText(text), columns - indent.length).map((part, index) => [
    span(index === 0 ? indent : ' '.repeat(indent.length), tone),
    { text: part, tone },
  ])

/** Microseconds for people: `0.4ms`, `123.4ms`, `12.3s`. */
export const durationText = (us: number): string =>
  us < 9_999_500 ? `${(us / 1000).toFixed(us < 100_000 ? 1 : 0)}ms` : `${(us / 1e6).toFixed(1)}s`

/** Green below 400, yellow below 500, red otherwise and without a status. */
export const statusTone = (status: number | null): Tone => {
  if (status === null || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
