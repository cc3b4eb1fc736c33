import type { JsonObject } from '../../../json/json-object.ts'
import { errorModes } from '../error-texts.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { type TextView, walk } from '../walk.ts'

/** The texts of a question (OpenAI Responses). */
export const responsesRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, requestView)

/** The texts of a whole answer. What it repeats of the question is no answer. */
export const responsesReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, replyView)

/** What an answer repeats of its question. */
const repeated = [
  ...['instructions', 'input', 'prompt', 'tools', 'tool_choice', 'text', 'reasoning', 'context_management'],
  ...['include', 'conversation', 'moderation'],
]

/** Of an answer, be it that of a stream. */
export const replyView: TextView = {
  textRole: textRoles.assistant,
  modes: new Map([...errorModes, ...repeated.map((name) => [name, 'none'] as const)]),
}

/** How the members that steer a conversation are searched; realtime ones have the same. */
export const steering: NonNullable<TextView['modes']> = new Map([
  ['text', 'tools'],
  ['input', 'text'],
])

const requestView: TextView = { textRole: textRoles.user, modes: steering }
