import { StreamSearch } from '../../../../protocols/pattern/stream-search.ts'
import type { MaskPattern } from './pattern.ts'

/** Replaces all matches with the mask. @returns The same string if there are none. */
export const maskText = ({ whole, mask }: MaskPattern, text: string): string => {
  const search = new StreamSearch(whole)
  const hits = search.push(text, true)
  if (hits.length === 0) return text
  let masked = ''
  let done = 0
  for (const { start, end, begins } of hits) {
    masked += text.slice(done, start) + (begins ? mask : '')
    done = end
  }
  return masked + text.slice(done)
}

/** Whether the text has a match. */
export const occurs = ({ whole }: MaskPattern, text: string): boolean =>
  new StreamSearch(whole).push(text, true).length > 0
