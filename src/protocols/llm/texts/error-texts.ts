import type { JsonObject } from '../../json/json-object.ts'
import type { MemberText } from './member-text.ts'
import { voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/**
 * The texts of an error of a provider: it may repeat what it complains about, and what is in an error is read as an answer
 * is. Without `error` in it, the object itself is one.
 */
export const errorTexts = (body: JsonObject): MemberText[] =>
  walk(body, body.error === undefined ? bare : wrapped)

/** How the error beside, or in the place of, an answer is searched. */
export const errorModes: NonNullable<View['modes']> = new Map([['error', 'error']])

const bare: View = { voice: voices.assistant, mode: 'error' }
const wrapped: View = { voice: voices.assistant, modes: errorModes }
