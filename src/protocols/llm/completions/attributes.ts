import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyAttributes, RequestAttributes, ProviderRequestLine } from '../chat/codec.ts'
import { usageFrom } from './usage.ts'

/** The attributes of a request (OpenAI Chat Completions, `ChatCompletionCreateParams`). */
export const requestAttributes = (body: JsonObject, target: ProviderRequestLine): RequestAttributes => ({
  model: target.model ?? textIn(body.model),
  streaming: target.streaming ?? body.stream === true,
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  frequencyPenalty: numberIn(body.frequency_penalty),
  presencePenalty: numberIn(body.presence_penalty),
  seed: numberIn(body.seed),
  maxTokens: numberIn(body.max_completion_tokens) ?? numberIn(body.max_tokens),
})

/** The attributes of a whole response, or of a chunk of a stream. */
export const replyAttributes = (body: JsonObject): ReplyAttributes => ({
  model: textIn(body.model),
  usage: usageFrom(body.usage),
  serviceTier: textIn(body.service_tier),
})

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
