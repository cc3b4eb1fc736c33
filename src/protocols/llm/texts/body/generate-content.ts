import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a question (Gemini), or of one whose tokens are to be counted. Names may be written in both ways. */
export const generateContentRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/** The texts of a whole answer: those of all candidates, and what they are grounded on. */
export const generateContentReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

const requestView: TextView = { textRole: textRoles.user }

const replyView: TextView = { textRole: textRoles.assistant, modes: errorModes }
