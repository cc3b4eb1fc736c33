import type { JsonObject } from '../../json/json-object.ts'
import { plainRequest } from '../completions/standard-fields.ts'
import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { refusesEffortWithTools } from '../models/openai-models.ts'

/**
 * Providers that accept cache breakpoints and the thinking of earlier turns, which others refuse. By telemetry name.
 */
const lenient: ReadonlySet<string> = new Set(['openrouter', 'deepseek', 'mock'])

/** Providers that only support the older name `max_tokens`. */
const olderLimit: ReadonlySet<string> = new Set(['mistral', 'deepseek', 'cohere'])

/** Providers that refuse system messages after other messages. */
const systemFirst: ReadonlySet<string> = new Set(['mistral'])

/** A request with system messages only where its provider accepts them. */
export const pathForCompletions = (request: ChatRequest, provider: string, losses: Losses): ChatRequest =>
  systemFirst.has(provider) ? hoistInstructions(request, losses) : request

/**
 * Adapts a request that was translated into Chat Completions to its provider: many support the format, but not all its
 * extensions. Requests that clients send in this format stay unchanged.
 */
export const fitCompletions = (body: JsonObject, provider: string, losses: Losses): JsonObject => {
  const plain = lenient.has(provider) ? body : withoutEffort(plainRequest(body, losses), losses)
  const { max_completion_tokens: limit, ...rest } = plain
  return limit !== undefined && olderLimit.has(provider) ? { ...rest, max_tokens: limit } : plain
}

/** OpenAI's newest models reason by default, and refuse tools unless reasoning is disabled. */
const withoutEffort = (body: JsonObject, losses: Losses): JsonObject => {
  const { model, tools, reasoning_effort: effort } = body
  if (tools === undefined || typeof model !== 'string' || !refusesEffortWithTools(model)) return body
  if (effort !== undefined && effort !== 'none') losses.drop('reasoning')
  return { ...body, reasoning_effort: 'none' }
}
