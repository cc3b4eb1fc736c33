import type { Printable } from './printable-text.ts'
import { type Line, lineText, type StyledText } from './span.ts'

/** The indices of the lines that have a text, in any case. */
export const matchingLines = (lines: readonly Line[], text: string): readonly number[] => {
  if (text === '') return []
  const wanted = text.toLowerCase()
  return lines.flatMap((one, index) => (lineText(one).toLowerCase().includes(wanted) ? [index] : []))
}

/** The line with what a search finds marked, also if it spans several tones. */
export const markMatches = (spans: Line, text: string): Line => {
  if (text === '') return spans
  const whole = lineText(spans).toLowerCase()
  const wanted = text.toLowerCase()
  const marked: StyledText[] = []
  let position = 0
  for (const { text: part, tone } of spans) {
    let start = 0
    const isHit = (at: number) => inMatch(whole, wanted, position + at)
    for (let at = 1; at <= part.length; at++) {
      if (at < part.length && isHit(at) === isHit(start)) continue
      marked.push({ text: part.slice(start, at) as Printable, tone: isHit(start) ? 'hit' : tone })
      start = at
    }
    position += part.length
  }
  return marked
}

/** Whether a character belongs to a match. */
const inMatch = (whole: string, wanted: string, at: number): boolean => {
  const start = whole.lastIndexOf(wanted, at)
  return start >= 0 && at < start + wanted.length
}
