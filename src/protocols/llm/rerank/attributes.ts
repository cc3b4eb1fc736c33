import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import type { ReplyAttributes, RequestAttributes } from '../chat/codec.ts'

/** The attributes of a request in Cohere's format. */
export const rerankRequestAttributes = (body: JsonObject): RequestAttributes => ({
  model: typeof body.model === 'string' ? body.model : undefined,
  streaming: false,
})

/** The attributes of a response: Cohere has figures in `meta`, compatible providers in `usage`. */
export const rerankReplyAttributes = (body: JsonObject): ReplyAttributes => {
  const usage = jsonObjectOr(body.usage)
  const meta = jsonObjectOr(body.meta)
  const tokens = jsonObjectOr(meta.tokens)
  const billed = jsonObjectOr(meta.billed_units)
  const inputTokens = countOf(usage.prompt_tokens, tokens.input_tokens)
  const outputTokens = countOf(tokens.output_tokens)
  const totalTokens = countOf(usage.total_tokens, billed.total_tokens)
  const isKnown = inputTokens !== undefined || totalTokens !== undefined
  return {
    model: typeof body.model === 'string' ? body.model : undefined,
    usage: isKnown
      ? {
          inputTokens: inputTokens ?? totalTokens,
          outputTokens,
          totalTokens: totalTokens ?? (inputTokens as number) + (outputTokens ?? 0),
          providerInputTokens: inputTokens,
          providerTotalTokens: totalTokens,
        }
      : undefined,
  }
}

/** The first valid count. */
const countOf = (...values: readonly unknown[]): number | undefined =>
  values.find((value): value is number => typeof value === 'number' && value >= 0)
