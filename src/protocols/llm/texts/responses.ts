import type { JsonObject } from '../../json/json-object.ts'
import { errorModes } from './error-texts.ts'
import type { TextSlot } from './text-slot.ts'
import { voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/** The texts of a question (OpenAI Responses). */
export const responsesRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, asked)

/** The texts of a whole answer. What it repeats of the question is no answer. */
export const responsesReplyTexts = (body: JsonObject): readonly TextSlot[] => walk(body, answered)

/** Of an answer, be it that of a stream. */
export const answered: View = {
  voice: voices.assistant,
  only: new Set(['output', 'output_text', 'error']),
  modes: errorModes,
}

/** How the members that steer a conversation are searched; realtime ones have the same. */
export const steering: NonNullable<View['modes']> = new Map([
  ['text', 'tools'],
  ['reasoning', 'none'],
  ['input', 'text'],
  ['context_management', 'none'],
])

const asked: View = { voice: voices.user, modes: steering }
