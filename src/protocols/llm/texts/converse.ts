import type { JsonObject } from '../../json/json-object.ts'
import type { TextSlot } from './text-slot.ts'
import { voices } from './voices.ts'
import { type View, walk } from './walk.ts'

/** The texts of a question (Bedrock Converse). */
export const converseRequestTexts = (body: JsonObject): readonly TextSlot[] => walk(body, asked)

/** The texts of a whole answer, and what a guardrail of the provider says it was before. */
export const converseReplyTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { voice: voices.assistant })

const asked: View = { voice: voices.user, modes: new Map([['outputConfig', 'tools']]) }
