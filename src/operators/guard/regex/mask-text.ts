import { Searching } from '../../../protocols/pattern/search.ts'
import type { Shape } from './shape.ts'

/** Puts the mask in place of all that has this shape. @returns The same string if nothing has. */
export const maskText = ({ whole, mask }: Shape, text: string): string => {
  const searching = new Searching(whole)
  const hits = searching.push(text, true)
  if (hits.length === 0) return text
  let masked = ''
  let done = 0
  for (const { start, end, begins } of hits) {
    masked += text.slice(done, start) + (begins ? mask : '')
    done = end
  }
  return masked + text.slice(done)
}

/** Whether anything in the text has this shape. */
export const occurs = ({ whole }: Shape, text: string): boolean =>
  new Searching(whole).push(text, true).length > 0
