import type { JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { isTooDeep } from './max-depth.ts'

/**
 * Arguments of a call as an object; undefined if the text is none, which is what a model leaves that was cut off, and if
 * it is nested too deep to be written again.
 */
export const argumentsIn = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {}
  const args = readJsonObject(text)
  return isTooDeep(args) ? undefined : args
}
