import { repeatsNames } from '../../../../protocols/json/duplicate-keys.ts'
import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../../protocols/json/read-json.ts'
import { textIn } from '../../../../protocols/json/typed-values.ts'
import { textNameProblem } from '../../../../protocols/llm/members/read-members.ts'
import type { EventTexts } from '../../../../protocols/llm/texts/text-slot.ts'

/** The event without its texts and without the output of its response: what is left is the end and the usage. */
export const withoutAudioTexts = (event: JsonObject, { pieces, wholes }: EventTexts): JsonObject => {
  for (const slot of [...pieces, ...wholes]) slot.set('')
  const response = jsonObjectIn(event.response)
  return response ? { ...event, response: { ...response, output: [] } } : event
}

/** The id of the response that a realtime event belongs to. */
export const responseIdOf = ({ response_id, response }: JsonObject): string | undefined =>
  textIn(response_id ?? jsonObjectOr(response).id)

/** The id of the session item that an event concerns. */
export const itemIdOf = ({ item_id, item }: JsonObject): string | undefined =>
  textIn(item_id ?? jsonObjectOr(item).id)

/** Whether it is the last event of its response. */
export const isLastOfResponse = ({ type }: JsonObject): boolean => type === 'response.done'

/** The event of a message; undefined if it is not a JSON object, or if parsers could read it in two ways. */
export const readEvent = (text: string): JsonObject | undefined => {
  if (repeatsNames(text)) return undefined
  const event = readJsonObject(text)
  return event && textNameProblem(event) === undefined ? event : undefined
}
