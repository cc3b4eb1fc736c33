import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import type { EventTexts } from '../../protocols/llm/texts/text-slot.ts'

/** An event without its texts, and without what an answer consists of: that it is over, and what it has used. */
export const withoutTexts = (event: JsonObject, { pieces, wholes }: EventTexts): JsonObject => {
  for (const slot of [...pieces, ...wholes]) slot.set('')
  const response = jsonObjectIn(event.response)
  return response ? { ...event, response: { ...response, output: [] } } : event
}
