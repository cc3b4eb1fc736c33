import { type JsonObject, jsonObjectIn, jsonObjectOr } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/** Decodes the service tier, which is part of the usage of a response. */
export const serviceTierOf = (usage: unknown): string | undefined => {
  const tier = jsonObjectIn(usage)?.service_tier
  if (typeof tier !== 'string') return undefined
  return tier === 'standard' ? 'default' : tier
}

/** Encodes the service tier; undefined if this format does not have it. */
export const serviceTier = (tier: string | undefined): string | undefined => {
  if (tier === 'default') return 'standard'
  return tier === 'priority' || tier === 'batch' ? tier : undefined
}

/**
 * Collects the usage of a call from one or more reports: streams report input at the beginning and the rest at the end
 * (Anthropic Messages API, `Usage`, `MessageDeltaUsage`). Each report is of the whole call, and a later one corrects an
 * earlier one: GLM first counts the whole prompt as input, and separates cache reads at the end. Input figures that are
 * all zero do not replace earlier ones: some providers fill them in at the end.
 */
export class UsageTally {
  #input: number | undefined = undefined
  #cacheRead: number | undefined = undefined
  #cacheWritten: number | undefined = undefined
  #output: number | undefined = undefined
  #thinking: number | undefined = undefined

  /** Adds a report. Values that are not numbers are ignored. */
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

  /** The usage so far; undefined without any figures. */
  get usage(): Usage | undefined {
    const [input, output] = [this.#input, this.#output]
    const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
    // In this format, the input excludes cache reads and writes.
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

/** The usage of a single report. */
export const usageOf = (report: unknown): Usage | undefined => {
  const tally = new UsageTally()
  tally.add(report)
  return tally.usage
}

/**
 * Encodes usage for a message. Input and output must be numbers, or clients cannot parse the message; only these two are
 * 0 if unknown.
 */
export const usageFields = (usage: Usage | undefined, serviceTier: string | undefined): JsonObject => ({
  ...deltaUsageFields(usage),
  input_tokens: inputOf(usage) ?? 0,
  cache_creation: null,
  inference_geo: null,
  service_tier: serviceTier ?? null,
  speed: null,
})

/** Encodes usage for the end of a stream, where an unknown input may be null. */
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
