import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import { repeatsNames } from '../../protocols/json/repeats-names.ts'

/** The event that a message is; undefined if readers could disagree about it, or it is none. */
export const readEvent = (text: string): JsonObject | undefined => {
  if (repeatsNames(text)) return undefined
  try {
    return jsonObjectIn(JSON.parse(text))
  } catch {
    return undefined
  }
}
