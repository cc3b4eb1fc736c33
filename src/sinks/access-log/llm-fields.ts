import type { LlmCall } from '../../model/llm/llm-call.ts'
import { hideSecrets } from '../../model/trace/redact.ts'
import type { LogLineFields } from './line.ts'

/** Names of the fields, in order. */
export const llmLogFields = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'agw.ai.time_to_first_token',
  'agw.ai.time_per_output_token',
  'agw.ai.usage.cost.total',
  'gen_ai.usage.output_image_tokens',
  'gen_ai.usage.input_audio_tokens',
  'gen_ai.usage.output_audio_tokens',
  'gen_ai.request.temperature',
  'gen_ai.embeddings.dimension.count',
  'gen_ai.request.encoding_formats',
  'gen_ai.request.top_p',
  'gen_ai.request.max_tokens',
  'gen_ai.request.frequency_penalty',
  'gen_ai.request.presence_penalty',
  'gen_ai.request.seed',
] as const

/**
 * Writes the known attributes of a language model call; unknown ones are omitted, never zero. Clients choose model
 * names, so names are truncated and redacted.
 */
export const writeLlm = (line: LogLineFields, call: LlmCall, secrets: readonly string[] = []): void => {
  const shown = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : shortened(hideSecrets(text, secrets))
  const number = (name: (typeof llmLogFields)[number], value: number | undefined): void => {
    if (value !== undefined && Number.isFinite(value)) line.json(name, decimal(value))
  }
  const { params, operation } = call
  if (operation !== 'unknown') line.text('gen_ai.operation.name', operation)
  line.text('gen_ai.provider.name', call.provider)
  line.text('gen_ai.request.model', shown(call.requestModel))
  line.text('gen_ai.response.model', shown(call.responseModel))
  number('gen_ai.usage.input_tokens', call.inputTokens)
  number('gen_ai.usage.cache_creation.input_tokens', call.cacheCreationInputTokens)
  number('gen_ai.usage.cache_read.input_tokens', call.cachedInputTokens)
  number('gen_ai.usage.output_tokens', call.outputTokens)
  number('gen_ai.usage.reasoning_tokens', call.reasoningTokens)
  number('agw.ai.time_to_first_token', seconds(call.timeToFirstTokenMs))
  number('agw.ai.time_per_output_token', seconds(call.timePerOutputTokenMs))
  number('agw.ai.usage.cost.total', call.cost?.total)
  number('gen_ai.usage.output_image_tokens', call.outputImageTokens)
  number('gen_ai.usage.input_audio_tokens', call.inputAudioTokens)
  number('gen_ai.usage.output_audio_tokens', call.outputAudioTokens)
  if (!params) return
  number('gen_ai.request.temperature', params.temperature)
  number('gen_ai.embeddings.dimension.count', params.dimensions)
  line.text('gen_ai.request.encoding_formats', shown(params.encoding_format))
  number('gen_ai.request.top_p', params.top_p)
  number('gen_ai.request.max_tokens', params.max_tokens)
  number('gen_ai.request.frequency_penalty', params.frequency_penalty)
  number('gen_ai.request.presence_penalty', params.presence_penalty)
  number('gen_ai.request.seed', params.seed)
}

/** Seconds, rounded to microseconds. */
const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms * 1000) / 1e6

/** Small amounts without an exponent: 0.0000003. */
const decimal = (value: number): string => {
  const text = String(value)
  return text.includes('e-') ? value.toFixed(12).replace(/\.?0+$/, '') : text
}

const shortened = (text: string): string =>
  text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text

/** Keeps lines readable, because clients choose the names. */
const MAX_LENGTH = 256
