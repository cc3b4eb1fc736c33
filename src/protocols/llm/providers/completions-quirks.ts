import type { JsonObject } from '../../json/json-object.ts'
import { plainRequest } from '../completions/plain-request.ts'
import type { Losses } from '../losses.ts'

/** Those that take what others refuse: markers for caches, and thoughts of turns before. By the names of telemetry. */
const lenient: ReadonlySet<string> = new Set(['openrouter', 'deepseek', 'mock'])

/** Those that know the older of two names only. */
const olderLimit: ReadonlySet<string> = new Set(['mistral', 'deepseek', 'cohere'])

/**
 * Makes a request that was translated into Chat Completions one that a provider takes: many understand the format, and
 * not all of them what others have added to it. Requests of clients that write the format themselves stay as they are.
 */
export const fitCompletions = (body: JsonObject, provider: string, losses: Losses): JsonObject => {
  const plain = lenient.has(provider) ? body : plainRequest(body, losses)
  const { max_completion_tokens: limit, ...rest } = plain
  return limit !== undefined && olderLimit.has(provider) ? { ...rest, max_tokens: limit } : plain
}
