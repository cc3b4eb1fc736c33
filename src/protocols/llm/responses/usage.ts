import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/** Decodes `ResponseUsage` of the SDK. A value that is not a count is unknown. */
export const decodeUsage = (value: unknown): Usage | undefined => {
  const usage = jsonObjectIn(value)
  if (!usage) return undefined
  const input = jsonObjectOr(usage.input_tokens_details)
  const output = jsonObjectOr(usage.output_tokens_details)
  const read: Usage = {
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    totalTokens: count(usage.total_tokens),
    cachedInputTokens: count(input.cached_tokens),
    cacheCreationInputTokens: count(input.cache_write_tokens),
    reasoningTokens: count(output.reasoning_tokens),
    inputTextTokens: count(input.text_tokens),
    inputImageTokens: count(input.image_tokens),
    inputAudioTokens: count(input.audio_tokens),
    outputTextTokens: count(output.text_tokens),
    outputImageTokens: count(output.image_tokens),
    outputAudioTokens: count(output.audio_tokens),
    providerInputTokens: count(usage.input_tokens),
    providerTotalTokens: count(usage.total_tokens),
  }
  return Object.values(read).some((known) => known !== undefined) ? read : undefined
}

/**
 * Encodes usage; undefined unless both input and output are known: clients reject a usage without them, and trust zeros.
 * The details are required by the format; unknown ones are 0. Input and output add up to the total, so thinking tokens
 * that a provider counts in its total only (Gemini) are output.
 */
export const encodeUsage = (usage: Usage | undefined): JsonObject | undefined => {
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined
  const totalTokens = usage.totalTokens ?? usage.inputTokens + usage.outputTokens
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      cache_write_tokens: usage.cacheCreationInputTokens ?? 0,
    },
    output_tokens: Math.max(usage.outputTokens, totalTokens - usage.inputTokens),
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  }
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
