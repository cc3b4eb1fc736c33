import { jsonObjectOr } from '../json/json-object.ts'
import { readJsonObject } from '../json/read-json.ts'
import type { Usage } from './usage.ts'

/**
 * The usage in an event of a realtime conversation (OpenAI Realtime API, `response.done`); undefined for every other
 * event. A conversation has many responses, each with usage of its own.
 */
export const realtimeUsage = (text: string): Usage | undefined => {
  if (!text.includes('"response.done"')) return undefined
  const { type, response } = readJsonObject(text) ?? {}
  if (type !== 'response.done') return undefined
  const usage = jsonObjectOr(jsonObjectOr(response).usage)
  const input = jsonObjectOr(usage.input_token_details)
  const output = jsonObjectOr(usage.output_token_details)
  const inputTokens = count(usage.input_tokens)
  const totalTokens = count(usage.total_tokens)
  return {
    inputTokens,
    providerInputTokens: inputTokens,
    outputTokens: count(usage.output_tokens),
    totalTokens,
    providerTotalTokens: totalTokens,
    cachedInputTokens: count(input.cached_tokens),
    inputTextTokens: count(input.text_tokens),
    inputAudioTokens: count(input.audio_tokens),
    inputImageTokens: count(input.image_tokens),
    outputTextTokens: count(output.text_tokens),
    outputAudioTokens: count(output.audio_tokens),
  }
}

/** The sum of two usages. A figure that is missing in one of them is taken from the other. */
export const addUsage = (one: Usage | undefined, other: Usage): Usage => {
  if (!one) return other
  const sum: Record<string, number | undefined> = {}
  for (const [name, value] of Object.entries(other) as [keyof Usage, number | undefined][]) {
    const before = one[name]
    sum[name] = before === undefined ? value : value === undefined ? before : before + value
  }
  return sum
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
