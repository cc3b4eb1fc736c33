import type { JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { isTooDeep } from './max-depth.ts'

/**
 * Parses the arguments of a tool call. Undefined if the text is not a JSON object, as in truncated output, or if it is
 * nested too deep to be serialized again.
 */
export const argumentsIn = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {}
  const args = readJsonObject(text)
  return isTooDeep(args) ? undefined : args
}
