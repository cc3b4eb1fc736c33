import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a question (Anthropic Messages), or of one whose tokens are to be counted. */
export const messagesRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/**
 * The texts of a whole answer. Thoughts that are signed are among them: who changes one cannot show it to the provider
 * again, which is less than letting through what must not be said.
 */
export const messagesReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

const requestView: TextView = { textRole: textRoles.user }

const replyView: TextView = { textRole: textRoles.assistant, modes: errorModes }
