import type { LlmCost, LlmAttributes } from './llm-attributes.ts'

/** What one provider used for a request, or a part of one: there is one for each attempt that reached a provider. */
export interface LlmUsageRecord {
  /** As telemetry calls it. */
  readonly provider: string
  /** As it was asked for it. */
  readonly requestModel: string | undefined
  /** As it called itself; undefined if it did not answer. */
  readonly responseModel: string | undefined
  /** Empty if the provider did not say. */
  readonly usage: LlmTokens
  /** Undefined if that is not known, which is not nothing. */
  readonly cost?: LlmCost | undefined
  /** Of the price; undefined if nobody looked for it. */
  readonly priceStatus?: 'exact' | 'unpriced' | 'missing' | 'noCatalog' | undefined
  /** From the call to the last byte, or to its failure. */
  readonly durationMs: number
  /** Streams only. */
  readonly timeToFirstTokenMs?: number | undefined
  readonly outcome: LlmOutcome
}

/** How an attempt ended: answered, answered with an error, not at all, broken off by the provider, left by the client. */
export type LlmOutcome = 'answered' | 'refused' | 'failed' | 'cut' | 'abandoned'

/** Tokens by kind. Absent: not known. */
export type LlmTokens = Pick<
  LlmAttributes,
  | 'inputTokens'
  | 'outputTokens'
  | 'totalTokens'
  | 'cachedInputTokens'
  | 'cacheCreationInputTokens'
  | 'reasoningTokens'
  | 'inputTextTokens'
  | 'inputImageTokens'
  | 'inputAudioTokens'
  | 'outputTextTokens'
  | 'outputImageTokens'
  | 'outputAudioTokens'
>

/** For each token after the first of a stream; undefined where there was none, or nobody counted. */
export const timePerOutputTokenMs = ({
  usage,
  durationMs,
  timeToFirstTokenMs,
}: Pick<LlmUsageRecord, 'usage' | 'durationMs' | 'timeToFirstTokenMs'>): number | undefined =>
  timeToFirstTokenMs !== undefined && usage.outputTokens !== undefined && usage.outputTokens > 1
    ? Math.max(0, durationMs - timeToFirstTokenMs) / (usage.outputTokens - 1)
    : undefined
