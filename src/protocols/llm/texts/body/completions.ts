import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a request (OpenAI Chat Completions). */
export const completionsRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/** The texts of a whole response, in all of its choices. */
export const completionsReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

const requestView: TextView = { textRole: textRoles.user }

const replyView: TextView = { textRole: textRoles.assistant, modes: errorModes }
