import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'

/** Arguments of a call as an object; undefined if the text is none, which is what a model leaves that was cut off. */
export const argumentsIn = (text: string): JsonObject | undefined => {
  if (text.trim() === '') return {}
  try {
    return jsonObjectIn(JSON.parse(text))
  } catch {
    return undefined
  }
}
