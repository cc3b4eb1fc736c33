import { type JsonObject, jsonObjectOr } from '../../protocols/json/json-object.ts'
import { textIn } from '../../protocols/json/typed-values.ts'

/** The answer that an event of a realtime conversation belongs to. */
export const answerIdOf = ({ response_id, response }: JsonObject): string | undefined =>
  textIn(response_id ?? jsonObjectOr(response).id)

/** The item of the conversation that an event is about. */
export const itemIdOf = ({ item_id, item }: JsonObject): string | undefined =>
  textIn(item_id ?? jsonObjectOr(item).id)

/** Whether it is the last event of its answer. */
export const isLastOfAnswer = ({ type }: JsonObject): boolean => type === 'response.done'
