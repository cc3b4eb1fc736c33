import { type JsonObject, jsonObjectOr } from '../../protocols/json/json-object.ts'

/** The answer that an event of a realtime conversation belongs to. */
export const answerIdOf = ({ response_id, response }: JsonObject): string | undefined =>
  idIn(response_id ?? jsonObjectOr(response).id)

/** The item of the conversation that an event is about. */
export const itemIdOf = ({ item_id, item }: JsonObject): string | undefined =>
  idIn(item_id ?? jsonObjectOr(item).id)

/** Whether it is the last event of its answer. */
export const isLastOfAnswer = ({ type }: JsonObject): boolean => type === 'response.done'

const idIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
