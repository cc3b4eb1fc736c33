import type { JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { repeatsNames } from '../../json/duplicate-keys.ts'
import { TextMember } from './text-member.ts'
import type { TextSlot } from './text-slot.ts'
import { textRoles } from './roles.ts'
import { walk } from './walk.ts'

/**
 * The texts of a JSON schema that is serialized in a string member. A string that is ambiguous (duplicate keys) or not
 * valid JSON counts as one text.
 */
export const writtenSchemaTexts = (holder: JsonObject, key: string): readonly TextSlot[] => {
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
