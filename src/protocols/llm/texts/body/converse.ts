import { repeatsNames } from '../../../json/duplicate-keys.ts'
import { type JsonObject, jsonObjectIn } from '../../../json/json-object.ts'
import { readJsonObject } from '../../../json/read-json.ts'
import { TextMember } from '../text-member.ts'
import type { TextSlot } from '../text-slot.ts'
import { textRoles } from '../roles.ts'
import { walk } from '../walk.ts'

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

/**
 * The texts of a JSON schema that is serialized in a string member. A string that is ambiguous (duplicate keys) or not
 * valid JSON counts as one text.
 */
const writtenSchemaTexts = (holder: JsonObject, key: string): readonly TextSlot[] => {
  const written = holder[key]
  if (typeof written !== 'string' || written === '') return []
  const schema = repeatsNames(written) ? undefined : readJsonObject(written)
  if (!schema) return [new TextMember(holder, key, textRoles.system, key)]
  return walk(schema, { textRole: textRoles.system, mode: 'schema' }).map((slot) => ({
    role: slot.role,
    scope: slot.scope,
    text: slot.text,
    set: (text: string) => {
      slot.set(text)
      holder[key] = JSON.stringify(schema)
    },
  }))
}
