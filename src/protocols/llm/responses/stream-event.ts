import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'

/** Reads an index from an event; `fallback` if the provider omits it. */
export const positionIn = (event: JsonObject, name: string, fallback: number): number => {
  const position = event[name] ?? fallback
  if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0) return position
  throw new BadReply(`${name} must be an index of a list`)
}

/** Parses an event as a JSON object. */
export const eventIn = (data: string): JsonObject => {
  const event = readJson(data)
  if (event === undefined) throw new BadReply('an event of the stream is not JSON')
  const found = jsonObjectIn(event)
  if (!found) throw new BadReply('an event of the stream is not an object')
  return found
}
