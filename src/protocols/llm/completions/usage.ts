import { defined } from '../../json/omit-undefined.ts'
import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/**
 * Decodes OpenAI's `CompletionUsage` with its extensions: `prompt_cache_hit_tokens` (DeepSeek). Undefined without
 * figures. Invalid figures are ignored: they must not fail a response.
 */
export const usageFrom = (value: unknown): Usage | undefined => {
  const usage = jsonObjectIn(value)
  if (!usage) return undefined
  const input = jsonObjectOr(usage.prompt_tokens_details)
  const output = jsonObjectOr(usage.completion_tokens_details)
  const prompt = count(usage.prompt_tokens)
  const completion = count(usage.completion_tokens)
  const total = count(usage.total_tokens)
  const reasoning = count(output.reasoning_tokens)
  if (prompt === undefined && completion === undefined && total === undefined) return undefined
  const outputTokens = withReasoning(prompt, completion, total, reasoning)
  return {
    inputTokens: prompt,
    outputTokens,
    totalTokens: total ?? sum(prompt, outputTokens),
    cachedInputTokens: count(input.cached_tokens) ?? count(usage.prompt_cache_hit_tokens),
    cacheCreationInputTokens: count(input.cache_write_tokens),
    reasoningTokens: reasoning,
    inputTextTokens: count(input.text_tokens),
    inputImageTokens: count(input.image_tokens),
    inputAudioTokens: count(input.audio_tokens),
    outputTextTokens: count(output.text_tokens),
    outputImageTokens: count(output.image_tokens),
    outputAudioTokens: count(output.audio_tokens),
    providerInputTokens: prompt,
    providerTotalTokens: total,
  }
}

/** Encodes usage. Unknown figures are omitted rather than zero; undefined if none is known. */
export const usageOf = (usage: Usage | undefined): JsonObject | undefined => {
  if (!usage) return undefined
  const { inputTokens, outputTokens } = usage
  const written = known({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? sum(inputTokens, outputTokens),
    prompt_tokens_details: known({
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheCreationInputTokens,
      text_tokens: usage.inputTextTokens,
      image_tokens: usage.inputImageTokens,
      audio_tokens: usage.inputAudioTokens,
    }),
    completion_tokens_details: known({
      reasoning_tokens: usage.reasoningTokens,
      text_tokens: usage.outputTextTokens,
      image_tokens: usage.outputImageTokens,
      audio_tokens: usage.outputAudioTokens,
    }),
  })
  return written
}

/** Some providers (xAI) exclude reasoning from completion tokens; the total shows it. */
const withReasoning = (
  prompt: number | undefined,
  completion: number | undefined,
  total: number | undefined,
  reasoning: number | undefined,
): number | undefined => {
  if (prompt === undefined || completion === undefined || total === undefined || !reasoning) return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

/** The defined members; undefined if there are none. */
const known = (members: JsonObject): JsonObject | undefined => {
  const given = defined(members)
  for (const _ in given) return given
  return undefined
}
