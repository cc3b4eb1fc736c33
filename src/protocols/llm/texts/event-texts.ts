import type { JsonObject } from '../../json/json-object.ts'
import { errorTexts } from './error-texts.ts'
import type { EventTexts, TextPiece, TextSlot } from './text-slot.ts'

/** What has been found in an event so far. */
export interface EventTextReader {
  readonly pieces: TextPiece[]
  readonly wholes: TextSlot[]
  readonly closes: string[]
}

/** The beginning of an event. */
export const nothingYet = (): EventTextReader => ({ pieces: [], wholes: [], closes: [] })

/** What an event says that ends a stream, and says nothing else. */
export const nothingMore: EventTexts = { pieces: [], wholes: [], closes: 'all' }

/** An event that says why a stream ends. */
export const lastError = (data: JsonObject): EventTexts => ({
  pieces: [],
  wholes: errorTexts(data),
  closes: 'all',
})
