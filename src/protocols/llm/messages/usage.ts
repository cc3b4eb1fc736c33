import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/** Reads in which tier an answer was made, from its usage. */
export const serviceTierOf = (usage: unknown): string | undefined => {
  const tier = jsonObjectIn(usage)?.service_tier
  if (typeof tier !== 'string') return undefined
  return tier === 'standard' ? 'default' : tier
}

/** Writes it; undefined for one that is not known here. */
export const serviceTier = (tier: string | undefined): string | undefined => {
  if (tier === 'default') return 'standard'
  return tier === 'priority' || tier === 'batch' ? tier : undefined
}

/**
 * Gathers what a call used, from one report or from several: streams tell their input at the beginning and the rest at
 * the end (Anthropic Messages API, `Usage`, `MessageDeltaUsage`). All figures are of the whole call, and a later report
 * corrects an earlier one: GLM first counts the whole prompt as input, and at the end what its cache gave apart from it.
 * A report whose figures of the input are all zero has none: some providers fill them in at the end.
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
    const input = countIn(usage.input_tokens)
    const cacheRead = countIn(usage.cache_read_input_tokens)
    const cacheWritten = countIn(usage.cache_creation_input_tokens)
    if (this.#input === undefined || input || cacheRead || cacheWritten) {
      this.#input = input ?? this.#input
      this.#cacheRead = cacheRead ?? this.#cacheRead
      this.#cacheWritten = cacheWritten ?? this.#cacheWritten
    }
    this.#output = countIn(usage.output_tokens) ?? this.#output
    const thinking = countIn(jsonObjectOr(usage.output_tokens_details).thinking_tokens)
    this.#thinking = thinking ?? this.#thinking
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

const countIn = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : undefined
