import type { Finish } from '../chat/reply.ts'

/**
 * The finish reason if the arguments of a call are not a JSON object: this format requires an object, and Google
 * withholds such a call with the same reason.
 */
export const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL'

/** Why a candidate ended (`FinishReason`): Google reports `STOP` for function calls, too. */
export const finishOf = (reason: string, hasCalls: boolean): Finish => {
  const finish = finishes.get(reason) ?? 'stop'
  return finish === 'stop' && hasCalls ? 'toolCalls' : finish
}

/** The `FinishReason` for a client. */
export const reasonOf = (finish: Finish): string => reasons[finish]

/** Filtered output is `contentFilter`, and so are malformed calls, which Google withholds. */
const finishes = new Map<string, Finish>([
  ['STOP', 'stop'],
  ['FINISH_REASON_UNSPECIFIED', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'contentFilter'],
  ['RECITATION', 'contentFilter'],
  ['LANGUAGE', 'contentFilter'],
  ['OTHER', 'contentFilter'],
  ['BLOCKLIST', 'contentFilter'],
  ['PROHIBITED_CONTENT', 'contentFilter'],
  ['SPII', 'contentFilter'],
  ['MALFORMED_FUNCTION_CALL', 'contentFilter'],
  ['MALFORMED_RESPONSE', 'contentFilter'],
  ['UNEXPECTED_TOOL_CALL', 'contentFilter'],
  ['TOO_MANY_TOOL_CALLS', 'contentFilter'],
  ['MISSING_THOUGHT_SIGNATURE', 'contentFilter'],
  ['IMAGE_SAFETY', 'contentFilter'],
  ['IMAGE_PROHIBITED_CONTENT', 'contentFilter'],
  ['IMAGE_RECITATION', 'contentFilter'],
  ['IMAGE_OTHER', 'contentFilter'],
  ['NO_IMAGE', 'contentFilter'],
])

const reasons = {
  stop: 'STOP',
  stopSequence: 'STOP',
  toolCalls: 'STOP',
  pause: 'STOP',
  length: 'MAX_TOKENS',
  contentFilter: 'SAFETY',
  refusal: 'SAFETY',
} as const satisfies Record<Finish, string>
