import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import { textIn } from '../../json/typed-values.ts'
import type { ReplyAttributes, RequestAttributes } from '../chat/codec.ts'

/** Attributes of an embeddings request, for logs and expressions. */
export interface EmbeddingsAttributes extends RequestAttributes {
  readonly encodingFormat: string | undefined
  readonly dimensions: number | undefined
}

/** The attributes of a request in OpenAI's format. */
export const embeddingsRequestAttributes = (body: JsonObject): EmbeddingsAttributes => ({
  model: textIn(body.model),
  streaming: false,
  encodingFormat: textIn(body.encoding_format),
  dimensions: countOr(body.dimensions),
})

/** The attributes of a response in OpenAI's format. */
export const embeddingsReplyAttributes = (body: JsonObject): ReplyAttributes => {
  const usage = jsonObjectOr(body.usage)
  const inputTokens = countOr(usage.prompt_tokens)
  const totalTokens = countOr(usage.total_tokens)
  return {
    model: textIn(body.model),
    usage:
      inputTokens === undefined && totalTokens === undefined
        ? undefined
        : {
            inputTokens: inputTokens ?? totalTokens,
            totalTokens: totalTokens ?? inputTokens,
            providerInputTokens: inputTokens,
            providerTotalTokens: totalTokens,
          },
  }
}

const countOr = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined
