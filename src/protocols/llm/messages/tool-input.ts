import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { isTooDeep } from './too-deep.ts'

/** The arguments of a tool call as the object they are here; undefined if they are none. No text at all means none are needed. */
export const toolInput = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {}
  try {
    const input = jsonObjectIn(JSON.parse(text))
    return isTooDeep(input) ? undefined : input
  } catch {
    return undefined
  }
}
