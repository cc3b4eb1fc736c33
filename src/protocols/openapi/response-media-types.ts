import { isFieldValue } from '../http/field-syntax.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError } from './conversion-error.ts'
import { own } from './own-property.ts'
import type { References } from './references.ts'

const MAX_TYPES = 8

/** The media types of the Accept field: JSON, unless the operation's responses have other types only. */
export const acceptOf = (operation: JsonObject, references: References): string => {
  const responses = own(operation, 'responses')
  const types = new Set<string>()
  for (const [status, entry] of isJsonObject(responses) ? Object.entries(responses) : []) {
    if (!status.startsWith('2')) continue
    for (const type of typesOf(entry, references))
      if (/^[^\s/]+\/[^\s/]+/.test(type) && isFieldValue(type) && type.length < 128) types.add(type)
  }
  const all = [...types]
  const hasJson = all.length === 0 || all.some((type) => /[/+]json\b|\*/i.test(type))
  return hasJson ? 'application/json' : [...all.slice(0, MAX_TYPES), 'application/json;q=0.5'].join(', ')
}

const typesOf = (entry: unknown, references: References): readonly string[] => {
  try {
    const response = references.follow(entry)
    const content = isJsonObject(response) ? own(response, 'content') : undefined
    return isJsonObject(content) ? Object.keys(content) : []
  } catch (error) {
    // The response's declaration is used for nothing else, so that a tool works without it.
    if (error instanceof ConversionError) return []
    throw error
  }
}
