import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { readJson } from '../../json/read-json.ts'
import { BadReply } from '../chat/codec.ts'

/** Where something stands; 0 if a provider leaves it out. */
export const positionIn = (event: JsonObject, name: string, fallback: number): number => {
  const position = event[name] ?? fallback
  if (typeof position === 'number' && Number.isSafeInteger(position) && position >= 0) return position
  throw new BadReply(`${name} must be a place in a list`)
}

/** An event as an object. */
export const eventIn = (data: string): JsonObject => {
  const event = readJson(data)
  if (event === undefined) throw new BadReply('an event of the stream is not JSON')
  const found = jsonObjectIn(event)
  if (!found) throw new BadReply('an event of the stream is not an object')
  return found
}
