import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import type { Finish } from '../chat/reply.ts'

/** What kinds of things an answer said, as far as they tell why it ended. */
export interface IncompleteReason {
  readonly toolCall: boolean
  readonly refusal: boolean
}

/**
 * Why a `completed` or `incomplete` response ended. The format itself only knows what cut an answer short; the rest
 * follows from what was said.
 */
export const decodeFinish = (response: JsonObject, seen: IncompleteReason): Finish => {
  const reason = jsonObjectOr(response.incomplete_details).reason
  if (response.status === 'incomplete' || typeof reason === 'string')
    return reason === 'content_filter' ? 'contentFilter' : 'length'
  if (seen.toolCall) return 'toolCalls'
  return seen.refusal ? 'refusal' : 'stop'
}

/** Why a response is incomplete; undefined for one that is complete. */
export const incompleteReason = (finish: Finish, seen: IncompleteReason): string | undefined => {
  if (finish === 'length') return 'max_output_tokens'
  // A refusal in words is a complete answer. Where others only say that they refused, this is what comes nearest.
  if (finish === 'contentFilter' || (finish === 'refusal' && !seen.refusal)) return 'content_filter'
  return undefined
}
