import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyFacts, RequestFacts, RequestPlace } from '../chat/codec.ts'
import { usageFrom } from './usage.ts'

/** What a request says of itself (OpenAI Chat Completions, `ChatCompletionCreateParams`). */
export const requestFacts = (body: JsonObject, place: RequestPlace): RequestFacts => ({
  model: place.model ?? textIn(body.model),
  streaming: place.streaming ?? body.stream === true,
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  frequencyPenalty: numberIn(body.frequency_penalty),
  presencePenalty: numberIn(body.presence_penalty),
  seed: numberIn(body.seed),
  maxTokens: numberIn(body.max_completion_tokens) ?? numberIn(body.max_tokens),
})

/** What a whole answer says of itself, or a chunk of a stream. */
export const replyFacts = (body: JsonObject): ReplyFacts => ({
  model: textIn(body.model),
  usage: usageFrom(body.usage),
  serviceTier: textIn(body.service_tier),
})

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
