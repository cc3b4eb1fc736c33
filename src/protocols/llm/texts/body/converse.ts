import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'
import { writtenSchemaTexts } from '../embedded-schema.ts'

/** The texts of a request (Bedrock Converse). The schema of the output, which is JSON in a string, comes last. */
export const converseRequestTexts = (body: JsonObject): readonly TextSlot[] => {
  const found = walk(body, { textRole: textRoles.user })
  const format = jsonObjectIn(jsonObjectIn(body.outputConfig)?.textFormat)
  const reply = jsonObjectIn(jsonObjectIn(format?.structure)?.jsonSchema)
  return reply ? [...found, ...writtenSchemaTexts(reply, 'schema')] : found
}

/** The texts of a whole response, including the original text in the trace of a provider's guardrail. */
export const converseReplyTexts = (body: JsonObject): readonly TextSlot[] =>
  walk(body, { textRole: textRoles.assistant })
