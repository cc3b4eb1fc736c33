import { type LlmTokens, type LlmUsageRecord, timePerOutputTokenMs } from '../../../model/llm/usage-record.ts'
import type { UsedSeries } from './bounded-series.ts'
import { metricDefinitions } from '../definitions/metric-definitions.ts'
import { Histogram, type HistogramFormat } from './histogram.ts'

/** Metrics of language model calls with equal labels. */
export class LlmSeries implements UsedSeries {
  usedAt = 0
  /** Undefined until the first cost. */
  costUsd: number | undefined = undefined
  readonly duration: Histogram
  readonly timePerOutputToken: Histogram
  readonly timeToFirstToken: Histogram
  /** By kind; only kinds that were reported. */
  readonly tokens = new Map<TokenKind, Histogram>()
  /** Price lookups, by result. */
  readonly lookups = new Map<string, number>()

  readonly #format: HistogramFormat

  constructor(format: HistogramFormat) {
    this.#format = format
    this.duration = new Histogram(genAiRequestDuration.buckets, format)
    this.timePerOutputToken = new Histogram(genAiTimePerOutputToken.buckets, format)
    this.timeToFirstToken = new Histogram(genAiTimeToFirstToken.buckets, format)
  }

  /**
   * Records an ended attempt.
   *
   * @param traceId Of the sampled trace of the request.
   */
  ended(record: LlmUsageRecord, traceId?: string): void {
    this.duration.observe(record.durationMs / 1000, traceId)
    if (record.timeToFirstTokenMs !== undefined)
      this.timeToFirstToken.observe(record.timeToFirstTokenMs / 1000, traceId)
    const perToken = timePerOutputTokenMs(record)
    if (perToken !== undefined) this.timePerOutputToken.observe(perToken / 1000, traceId)
    for (const kind of tokenKinds) this.#used(kind.name, kind.of(record.usage))
    const { cost, priceStatus } = record
    if (cost?.total !== undefined) this.costUsd = (this.costUsd ?? 0) + cost.total
    if (priceStatus === undefined) return
    const status = priceStatuses[priceStatus]
    this.lookups.set(status, (this.lookups.get(status) ?? 0) + 1)
  }

  #used(kind: TokenKind, tokens: number | undefined): void {
    if (tokens === undefined) return
    let histogram = this.tokens.get(kind)
    if (!histogram) this.tokens.set(kind, (histogram = new Histogram(genAiTokenUsage.buckets, this.#format)))
    histogram.observe(tokens)
  }
}

const { genAiTokenUsage, genAiRequestDuration, genAiTimePerOutputToken, genAiTimeToFirstToken } =
  metricDefinitions

/** Label and getter of each kind of tokens. Functions, because V8 searches for a member by a variable name. */
const tokenKinds = [
  { name: 'output', of: (tokens: LlmTokens) => tokens.outputTokens },
  { name: 'input', of: (tokens: LlmTokens) => tokens.inputTokens },
  { name: 'input_cache_read', of: (tokens: LlmTokens) => tokens.cachedInputTokens },
  { name: 'input_cache_write', of: (tokens: LlmTokens) => tokens.cacheCreationInputTokens },
  { name: 'output_reasoning', of: (tokens: LlmTokens) => tokens.reasoningTokens },
  { name: 'input_audio', of: (tokens: LlmTokens) => tokens.inputAudioTokens },
  { name: 'output_audio', of: (tokens: LlmTokens) => tokens.outputAudioTokens },
  { name: 'input_image', of: (tokens: LlmTokens) => tokens.inputImageTokens },
  { name: 'output_image', of: (tokens: LlmTokens) => tokens.outputImageTokens },
] as const

/** The kinds of tokens. */
export type TokenKind = (typeof tokenKinds)[number]['name']

const priceStatuses = {
  exact: 'Exact',
  unpriced: 'Unpriced',
  missing: 'Missing',
  noCatalog: 'NoCatalog',
} as const
