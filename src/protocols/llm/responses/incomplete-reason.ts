import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import type { Finish } from '../chat/reply.ts'

/** The content of a response that determines its finish reason. */
export interface IncompleteReason {
  readonly toolCall: boolean
  readonly refusal: boolean
}

/**
 * Decodes why a `completed` or `incomplete` response ended. The format only has reasons for incomplete responses; the
 * rest follows from the content.
 */
export const decodeFinish = (response: JsonObject, seen: IncompleteReason): Finish => {
  const reason = jsonObjectOr(response.incomplete_details).reason
  if (response.status === 'incomplete' || typeof reason === 'string')
    return reason === 'content_filter' ? 'contentFilter' : 'length'
  if (seen.toolCall) return 'toolCalls'
  return seen.refusal ? 'refusal' : 'stop'
}

/** The reason why a response is incomplete; undefined for a complete one. */
export const incompleteReason = (finish: Finish, seen: IncompleteReason): string | undefined => {
  if (finish === 'length') return 'max_output_tokens'
  // A refusal with a text is a complete response. For one without a text, this is the closest reason.
  if (finish === 'contentFilter' || (finish === 'refusal' && !seen.refusal)) return 'content_filter'
  return undefined
}
