import type { JsonObject } from './json-object.ts'
import { readJson } from './read-json.ts'
import {
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_OBJECT,
  QUOTE,
  skipBlank,
  stringEnd,
  valueEnd,
} from './value-end.ts'

/**
 * Reads those members of a JSON object that somebody wants, and steps over all others: of an answer of 1 KB that takes
 * half the time of `JSON.parse`, of a longer one less. Undefined if it is no object.
 *
 * Members are those of the object itself, wherever else their names occur. What is stepped over is not checked, so that
 * what is no JSON may be taken for some.
 *
 * @param names Without characters that JSON escapes. A member whose name is written with escapes is none of them.
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
