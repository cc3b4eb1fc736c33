import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/**
 * Gathers what a call used, from one report or from several: streams tell their input at the beginning and the rest at
 * the end (Anthropic Messages API, `Usage`, `MessageDeltaUsage`). All figures are of the whole call and only grow, so
 * that a later report with less does not count.
 */
export class UsageTally {
  #input: number | undefined = undefined
  #cacheRead: number | undefined = undefined
  #cacheWritten: number | undefined = undefined
  #output: number | undefined = undefined
  #thinking: number | undefined = undefined

  /** Takes a report; what is not a number says nothing. */
  add(report: unknown): void {
    const usage = jsonObjectIn(report)
    if (!usage) return
    this.#input = larger(this.#input, usage.input_tokens)
    this.#cacheRead = larger(this.#cacheRead, usage.cache_read_input_tokens)
    this.#cacheWritten = larger(this.#cacheWritten, usage.cache_creation_input_tokens)
    this.#output = larger(this.#output, usage.output_tokens)
    this.#thinking = larger(this.#thinking, jsonObjectOr(usage.output_tokens_details).thinking_tokens)
  }

  /** Undefined as long as nothing is known. */
  get usage(): Usage | undefined {
    const [input, output] = [this.#input, this.#output]
    const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
    // Here the input does not hold what the cache gave or took.
    if (input !== undefined) {
      usage.inputTokens = input + (this.#cacheRead ?? 0) + (this.#cacheWritten ?? 0)
      usage.providerInputTokens = input
    }
    if (output !== undefined) usage.outputTokens = output
    if (usage.inputTokens !== undefined && output !== undefined)
      usage.totalTokens = usage.inputTokens + output
    if (this.#cacheRead !== undefined) usage.cachedInputTokens = this.#cacheRead
    if (this.#cacheWritten !== undefined) usage.cacheCreationInputTokens = this.#cacheWritten
    if (this.#thinking !== undefined) usage.reasoningTokens = this.#thinking
    return Object.keys(usage).length > 0 ? usage : undefined
  }
}

/** What one report says. */
export const usageOf = (report: unknown): Usage | undefined => {
  const tally = new UsageTally()
  tally.add(report)
  return tally.usage
}

/**
 * Writes what a call used, as it stands in a message. Input and output must be numbers: clients cannot read a message
 * without, so that what is not known is written as 0, at these two only.
 */
export const usageFields = (usage: Usage | undefined, serviceTier: string | undefined): JsonObject => ({
  ...deltaUsageFields(usage),
  input_tokens: inputOf(usage) ?? 0,
  cache_creation: null,
  inference_geo: null,
  service_tier: serviceTier ?? null,
  speed: null,
})

/** Writes it as it stands at the end of a stream, where an unknown input may be null. */
export const deltaUsageFields = (usage: Usage | undefined): JsonObject => ({
  input_tokens: inputOf(usage) ?? null,
  cache_creation_input_tokens: usage?.cacheCreationInputTokens ?? null,
  cache_read_input_tokens: usage?.cachedInputTokens ?? null,
  output_tokens: usage?.outputTokens ?? 0,
  output_tokens_details:
    usage?.reasoningTokens === undefined ? null : { thinking_tokens: usage.reasoningTokens },
  server_tool_use: null,
})

const inputOf = (usage: Usage | undefined): number | undefined => {
  if (usage?.inputTokens === undefined) return undefined
  const cached = (usage.cachedInputTokens ?? 0) + (usage.cacheCreationInputTokens ?? 0)
  return Math.max(0, usage.inputTokens - cached)
}

const larger = (before: number | undefined, value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Infinity ? Math.max(before ?? 0, value) : before
