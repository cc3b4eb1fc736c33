import type { JsonObject } from '../../json/json-object.ts'
import type { TextMember } from './text-member.ts'
import { textRoles } from './roles.ts'
import { type TextView, walk } from './walk.ts'

/**
 * The texts of an error of a provider: it may repeat the input, and clients read an error like a reply. Without an
 * `error` member, the object itself is the error.
 */
export const errorTexts = (body: JsonObject): TextMember[] =>
  walk(body, body.error === undefined ? bare : wrapped)

/** How an error beside or instead of a response is searched. */
export const errorModes: NonNullable<TextView['modes']> = new Map([['error', 'error']])

const bare: TextView = { textRole: textRoles.assistant, mode: 'error' }
const wrapped: TextView = { textRole: textRoles.assistant, modes: errorModes }
