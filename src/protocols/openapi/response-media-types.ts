import { isFieldValue } from '../http/field-syntax.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { Inconvertible } from './inconvertible.ts'
import { own } from './plain-value.ts'
import type { References } from './references.ts'

const MAX_TYPES = 8

/** The media types to ask for: JSON, unless the document says that an operation answers with others only. */
export const acceptOf = (operation: JsonObject, references: References): string => {
  const responses = own(operation, 'responses')
  const types = new Set<string>()
  for (const [status, entry] of isJsonObject(responses) ? Object.entries(responses) : []) {
    if (!status.startsWith('2')) continue
    for (const type of typesOf(entry, references))
      if (/^[^\s/]+\/[^\s/]+/.test(type) && isFieldValue(type) && type.length < 128) types.add(type)
  }
  const all = [...types]
  const saysJson = all.length === 0 || all.some((type) => /[/+]json\b|\*/i.test(type))
  return saysJson ? 'application/json' : [...all.slice(0, MAX_TYPES), 'application/json;q=0.5'].join(', ')
}

const typesOf = (entry: unknown, references: References): readonly string[] => {
  try {
    const response = references.follow(entry)
    const content = isJsonObject(response) ? own(response, 'content') : undefined
    return isJsonObject(content) ? Object.keys(content) : []
  } catch (error) {
    // What an answer is said to be decides nothing but this, so that a tool can do without.
    if (error instanceof Inconvertible) return []
    throw error
  }
}
