import { jsonObjectIn, type JsonObject } from './json-object.ts'

/**
 * What a text says; undefined if it is no JSON, which has no word for that.
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

/** The object that a text is; undefined if it is any other JSON, or none. */
export const readJsonObject = (text: string): JsonObject | undefined => jsonObjectIn(readJson(text))
