import type { JsonObject } from '../../json/json-object.ts'

/**
 * The number of tokens in a response to a token count, in Anthropic's format or Gemini's; undefined if there is none.
 */
export const countedTokens = (body: JsonObject): number | undefined => {
  const count = body.input_tokens ?? body.totalTokens
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
