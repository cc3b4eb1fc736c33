import type { ReplyHeaders } from '../translated-call.ts'

/** What Bedrock says of the input in a header, for models whose answers do not. */
export const inputTokenHeader = (headers: ReplyHeaders): number | undefined => {
  const text = headers.get('x-amzn-bedrock-input-token-count')
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
