import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'
import { writtenSchemaTexts } from '../embedded-schema.ts'

/** The texts of a question (Bedrock Converse). Last comes the schema of the answer, which is written as a text. */
export const converseRequestTexts = (body: JsonObject): readonly TextSlot[] => {
  const found = walk(body, { textRole: textRoles.user })
  const format = jsonObjectIn(jsonObjectIn(body.outputConfig)?.textFormat)
  const reply = jsonObjectIn(jsonObjectIn(format?.structure)?.jsonSchema)
  return reply ? [...found, ...writtenSchemaTexts(reply, 'schema')] : found
}

/** The texts of a whole answer, and what a guardrail of the provider says it was before. */
export const converseReplyTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.assistant })
