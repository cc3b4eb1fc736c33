import type { JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'

/**
 * Parses the arguments of a tool call. Undefined if the text is not a JSON object, as in truncated output, or if it is
 * nested too deep to be serialized again.
 */
export const argumentsIn = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {}
  const args = readJsonObject(text)
  return isTooDeep(args) ? undefined : args
}

/** Whether a JSON value is nested so deep that serializing it could overflow the stack. */
export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isTooDeep(inner, levels - 1)) return true
  return false
}

const MAX_DEPTH = 512
