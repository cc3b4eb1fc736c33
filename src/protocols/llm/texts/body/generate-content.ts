import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a request (Gemini) or of a token count request. Names may be in camelCase or snake_case. */
export const generateContentRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/** The texts of a whole response: those of all candidates and of their grounding metadata. */
export const generateContentReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

const requestView: TextView = { textRole: textRoles.user }

const replyView: TextView = { textRole: textRoles.assistant, modes: errorModes }
