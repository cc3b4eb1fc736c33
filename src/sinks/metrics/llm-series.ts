import { type LlmTokens, type LlmUsageRecord, timePerOutputTokenMs } from '../../model/llm-usage-record.ts'
import type { UsedSeries } from './bounded-series.ts'
import { metricDefinitions } from './definitions.ts'
import { Histogram } from './histogram.ts'

/** What is counted for calls of language models that agree in every label. */
export class LlmSeries implements UsedSeries {
  usedAt = 0
  /** Undefined until there was something to pay. */
  costUsd: number | undefined = undefined
  readonly duration = new Histogram(genAiRequestDuration.buckets)
  readonly timePerOutputToken = new Histogram(genAiTimePerOutputToken.buckets)
  readonly timeToFirstToken = new Histogram(genAiTimeToFirstToken.buckets)
  /** By kind; only those that were ever reported. */
  readonly tokens = new Map<TokenKind, Histogram>()
  /** Looks for a price, by what became of them. */
  readonly lookups = new Map<string, number>()

  /** One attempt is over. */
  ended(record: LlmUsageRecord): void {
    this.duration.observe(record.durationMs / 1000)
    if (record.timeToFirstTokenMs !== undefined)
      this.timeToFirstToken.observe(record.timeToFirstTokenMs / 1000)
    const perToken = timePerOutputTokenMs(record)
    if (perToken !== undefined) this.timePerOutputToken.observe(perToken / 1000)
    for (const [kind, field] of tokenKinds) this.#used(kind, record.usage[field])
    const { cost, priceStatus } = record
    if (cost?.total !== undefined) this.costUsd = (this.costUsd ?? 0) + cost.total
    if (priceStatus === undefined) return
    const status = priceStatuses[priceStatus]
    this.lookups.set(status, (this.lookups.get(status) ?? 0) + 1)
  }

  #used(kind: TokenKind, tokens: number | undefined): void {
    if (tokens === undefined) return
    let histogram = this.tokens.get(kind)
    if (!histogram) this.tokens.set(kind, (histogram = new Histogram(genAiTokenUsage.buckets)))
    histogram.observe(tokens)
  }
}

const { genAiTokenUsage, genAiRequestDuration, genAiTimePerOutputToken, genAiTimeToFirstToken } =
  metricDefinitions

/** The label for a kind of tokens, and where they are counted. */
const tokenKinds = [
  ['output', 'outputTokens'],
  ['input', 'inputTokens'],
  ['input_cache_read', 'cachedInputTokens'],
  ['input_cache_write', 'cacheCreationInputTokens'],
  ['output_reasoning', 'reasoningTokens'],
  ['input_audio', 'inputAudioTokens'],
  ['output_audio', 'outputAudioTokens'],
  ['input_image', 'inputImageTokens'],
  ['output_image', 'outputImageTokens'],
] as const satisfies readonly (readonly [string, keyof LlmTokens])[]

/** What tokens were used for. */
export type TokenKind = (typeof tokenKinds)[number][0]

const priceStatuses = {
  exact: 'Exact',
  unpriced: 'Unpriced',
  missing: 'Missing',
  noCatalog: 'NoCatalog',
} as const
