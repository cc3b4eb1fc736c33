import type { JsonObject } from '../../json/json-object.ts'

/** How many tokens an answer says were counted, in Anthropic's format or Gemini's; undefined if it does not. */
export const countedTokens = (body: JsonObject): number | undefined => {
  const count = body.input_tokens ?? body.totalTokens
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
