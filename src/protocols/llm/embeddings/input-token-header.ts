import type { ReplyHeaders } from '../translated-call.ts'

/** The input tokens that Bedrock reports in a header, for models that do not report them in the body. */
export const inputTokenHeader = (headers: ReplyHeaders): number | undefined => {
  const text = headers.get('x-amzn-bedrock-input-token-count')
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
