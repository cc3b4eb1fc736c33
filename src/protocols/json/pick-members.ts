import type { JsonObject } from './json-object.ts'
import { readJson } from './read-json.ts'
import { CLOSE_OBJECT, COLON, COMMA, OPEN_OBJECT, QUOTE, skipBlank, stringEnd, valueEnd } from './scanner.ts'

/**
 * Reads the given members of a JSON object, and skips all others: half the time of `JSON.parse` for a
 * response of 1 KB, less for longer ones. Undefined if the text is not an object.
 *
 * Only members of the object itself are found. Skipped values are not checked, so that invalid JSON may be
 * accepted.
 *
 * @param names Without characters that JSON escapes. A member whose name is written with escapes is not found.
 * @example
 * pickMembers('{"a":{"b":1},"b":2}', ['b']) // { b: 2 }
 */
export const pickMembers = (text: string, names: readonly string[]): JsonObject | undefined => {
  const picked: JsonObject = {}
  let i = skipBlank(text, 0)
  if (text.charCodeAt(i) !== OPEN_OBJECT) return undefined
  i = skipBlank(text, i + 1)
  if (text.charCodeAt(i) !== CLOSE_OBJECT)
    for (;;) {
      if (text.charCodeAt(i) !== QUOTE) return undefined
      const nameEnd = stringEnd(text, i)
      if (nameEnd < 0) return undefined
      const name = nameAt(text, i + 1, nameEnd - 1, names)
      i = skipBlank(text, nameEnd)
      if (text.charCodeAt(i) !== COLON) return undefined
      const start = skipBlank(text, i + 1)
      const end = valueEnd(text, start)
      if (end < 0) return undefined
      if (name !== undefined) picked[name] = readJson(text.slice(start, end))
      i = skipBlank(text, end)
      if (text.charCodeAt(i) === CLOSE_OBJECT) break
      if (text.charCodeAt(i) !== COMMA) return undefined
      i = skipBlank(text, i + 1)
    }
  return skipBlank(text, i + 1) === text.length ? picked : undefined
}

const nameAt = (text: string, start: number, end: number, names: readonly string[]): string | undefined => {
  for (const name of names) if (name.length === end - start && text.startsWith(name, start)) return name
  return undefined
}
