/** Attributes of a language model call. Filled in during the call; unknown ones are absent. */
export interface LlmAttributes {
  readonly streaming?: boolean | undefined
  readonly requestModel?: string | undefined
  readonly responseModel?: string | undefined
  readonly provider?: string | undefined
  readonly serviceTier?: string | undefined
  readonly inputTokens?: number | undefined
  /** As reported by the provider, which may or may not include cached tokens. */
  readonly providerInputTokens?: number | undefined
  readonly inputImageTokens?: number | undefined
  readonly inputTextTokens?: number | undefined
  readonly inputAudioTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  readonly cacheCreationInputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly outputImageTokens?: number | undefined
  readonly outputTextTokens?: number | undefined
  readonly outputAudioTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly totalTokens?: number | undefined
  readonly providerTotalTokens?: number | undefined
  /** The result of a token count request. */
  readonly countTokens?: number | undefined
  readonly timeToFirstTokenMs?: number | undefined
  readonly timePerOutputTokenMs?: number | undefined
  /** Messages, each with `role` and `content`. May be a getter, because building them may be expensive. */
  readonly prompt?: readonly object[] | undefined
  readonly completion?: readonly unknown[] | undefined
  /** Each with `id`, `name` and `arguments`. */
  readonly toolCalls?: readonly object[] | undefined
  readonly params?: LlmParams | undefined
  readonly cost?: LlmCost | undefined
  readonly costRates?: Omit<LlmCost, 'total'> | undefined
}

/** Sampling parameters of the request. */
export interface LlmParams {
  readonly temperature?: number | undefined
  readonly top_p?: number | undefined
  readonly frequency_penalty?: number | undefined
  readonly presence_penalty?: number | undefined
  readonly seed?: number | undefined
  readonly max_tokens?: number | undefined
  readonly encoding_format?: string | undefined
  readonly dimensions?: number | undefined
}

/** US dollars. */
export interface LlmCost {
  readonly total?: number | undefined
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
  readonly inputAudio?: number | undefined
  readonly outputAudio?: number | undefined
}
