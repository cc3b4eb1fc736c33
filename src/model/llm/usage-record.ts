import type { LlmCost, LlmAttributes } from './llm-attributes.ts'

/** Usage of one attempt that reached a provider. */
export interface LlmUsageRecord {
  /** The provider's name in telemetry. */
  readonly provider: string
  /** The model as requested of the provider. */
  readonly requestModel: string | undefined
  /** The model as named in the response; undefined if there was none. */
  readonly responseModel: string | undefined
  /** Empty if the provider did not report it. */
  readonly usage: LlmTokens
  /** Undefined means unknown, not zero. */
  readonly cost?: LlmCost | undefined
  /** Result of the price lookup; undefined if there was none. */
  readonly priceStatus?: 'exact' | 'unpriced' | 'missing' | 'noCatalog' | undefined
  /** From the call to the last byte or the failure. */
  readonly durationMs: number
  /** Streams only. */
  readonly timeToFirstTokenMs?: number | undefined
  readonly outcome: LlmOutcome
}

/** How an attempt ended: success, error response, no response, cut by the provider, cancelled by the client. */
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

/** Average time of each token after the first of a stream; undefined without such tokens or without a count. */
export const timePerOutputTokenMs = ({
  usage,
  durationMs,
  timeToFirstTokenMs,
}: Pick<LlmUsageRecord, 'usage' | 'durationMs' | 'timeToFirstTokenMs'>): number | undefined =>
  timeToFirstTokenMs !== undefined && usage.outputTokens !== undefined && usage.outputTokens > 1
    ? Math.max(0, durationMs - timeToFirstTokenMs) / (usage.outputTokens - 1)
    : undefined
