import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a request (Anthropic Messages) or of a token count request. */
export const messagesRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/**
 * The texts of a whole response, signed thinking included. A changed thinking block cannot be sent back to the provider,
 * which is better than passing on forbidden text.
 */
export const messagesReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

const requestView: TextView = { textRole: textRoles.user }

const replyView: TextView = { textRole: textRoles.assistant, modes: errorModes }
