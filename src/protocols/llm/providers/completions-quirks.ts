import type { JsonObject } from '../../json/json-object.ts'
import { plainRequest } from '../completions/standard-fields.ts'
import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { refusesEffortWithTools } from '../models/openai-models.ts'

/** Those that take what others refuse: markers for caches, and thoughts of turns before. By the names of telemetry. */
const lenient: ReadonlySet<string> = new Set(['openrouter', 'deepseek', 'mock'])

/** Those that know the older of two names only. */
const olderLimit: ReadonlySet<string> = new Set(['mistral', 'deepseek', 'cohere'])

/** Those that refuse messages of the system behind others. */
const systemFirst: ReadonlySet<string> = new Set(['mistral'])

/** A conversation with messages of the system only where a provider takes them. */
export const pathForCompletions = (request: ChatRequest, provider: string, losses: Losses): ChatRequest =>
  systemFirst.has(provider) ? hoistInstructions(request, losses) : request

/**
 * Makes a request that was translated into Chat Completions one that a provider takes: many understand the format, and
 * not all of them what others have added to it. Requests of clients that write the format themselves stay as they are.
 */
export const fitCompletions = (body: JsonObject, provider: string, losses: Losses): JsonObject => {
  const plain = lenient.has(provider) ? body : withoutEffort(plainRequest(body, losses), losses)
  const { max_completion_tokens: limit, ...rest } = plain
  return limit !== undefined && olderLimit.has(provider) ? { ...rest, max_tokens: limit } : plain
}

/** The newest models of OpenAI think by themselves, and refuse tools unless they are asked not to. */
const withoutEffort = (body: JsonObject, losses: Losses): JsonObject => {
  const { model, tools, reasoning_effort: effort } = body
  if (tools === undefined || typeof model !== 'string' || !refusesEffortWithTools(model)) return body
  if (effort !== undefined && effort !== 'none') losses.drop('reasoning')
  return { ...body, reasoning_effort: 'none' }
}
