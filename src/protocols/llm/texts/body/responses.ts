import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a request (OpenAI Responses). */
export const responsesRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/** The texts of a whole response, without the fields that repeat the request. */
export const responsesReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

/** Fields of a response that repeat the request. */
const repeated = [
  ...['instructions', 'input', 'prompt', 'tools', 'tool_choice', 'text', 'reasoning', 'context_management'],
  ...['include', 'conversation', 'moderation'],
]

/** How a response object is searched, whole or in a stream event. */
export const replyView: TextView = {
  textRole: textRoles.assistant,
  modes: new Map([...errorModes, ...repeated.map((name) => [name, 'none'] as const)]),
}

/** How the settings of a conversation are searched, those of a realtime session too. */
export const steering: NonNullable<TextView['modes']> = new Map([
  ['text', 'tools'],
  ['input', 'text'],
])

const requestView: TextView = { textRole: textRoles.user, modes: steering }
