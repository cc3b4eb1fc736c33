import { jsonObjectIn, type JsonObject } from './json-object.ts'

/**
 * Parses a JSON text; undefined, which is not a JSON value, if it is invalid.
 *
 * @example
 * readJson('{"a":null}') // { a: null }
 * readJson('{"a":') // undefined
 */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON object; undefined if the text is other JSON, or invalid. */
export const readJsonObject = (text: string): JsonObject | undefined => jsonObjectIn(readJson(text))
