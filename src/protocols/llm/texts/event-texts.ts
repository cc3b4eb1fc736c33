import type { JsonObject } from '../../json/json-object.ts'
import { errorTexts } from './error-texts.ts'
import type { EventTexts, TextPiece, TextSlot } from './text-slot.ts'

/** The texts found in an event so far. */
export interface EventTextReader {
  readonly pieces: TextPiece[]
  readonly wholes: TextSlot[]
  readonly closes: string[]
}

/** A reader that has found nothing yet. */
export const nothingYet = (): EventTextReader => ({ pieces: [], wholes: [], closes: [] })

/** The texts of an event that only ends the stream. */
export const nothingMore: EventTexts = { pieces: [], wholes: [], closes: 'all' }

/** The texts of an error event, which ends the stream. */
export const lastError = (data: JsonObject): EventTexts => ({
  pieces: [],
  wholes: errorTexts(data),
  closes: 'all',
})
