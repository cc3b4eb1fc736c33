/**
 * The usage of a call, in tokens. Undefined means that the provider did not report it; it never means zero.
 *
 * One definition for all providers: `inputTokens` includes tokens read from caches and written to them, `outputTokens`
 * includes reasoning. What a provider itself reports as input is `providerInputTokens`.
 */
export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly totalTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  readonly cacheCreationInputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly inputTextTokens?: number | undefined
  readonly inputImageTokens?: number | undefined
  readonly inputAudioTokens?: number | undefined
  readonly outputTextTokens?: number | undefined
  readonly outputImageTokens?: number | undefined
  readonly outputAudioTokens?: number | undefined
  /** The numbers as the provider wrote them. */
  readonly providerInputTokens?: number | undefined
  readonly providerTotalTokens?: number | undefined
}

/**
 * The usage as counted by providers whose input and total exclude tokens of caches (Anthropic, Bedrock). Usage of other
 * providers is returned unchanged.
 */
export const withoutCaches = (usage: Usage): Usage => {
  const { inputTokens, outputTokens, providerInputTokens, providerTotalTokens } = usage
  const cached = (usage.cachedInputTokens ?? 0) + (usage.cacheCreationInputTokens ?? 0)
  if (cached === 0 || providerInputTokens === undefined || providerInputTokens + cached !== inputTokens)
    return usage
  const sum = outputTokens === undefined ? undefined : providerInputTokens + outputTokens
  return { ...usage, inputTokens: providerInputTokens, totalTokens: providerTotalTokens ?? sum }
}

/**
 * Merges two reports of usage: the newer figure of each kind, if there is one.
 *
 * @example
 * mergeUsage({ inputTokens: 3 }, { outputTokens: 2 }) // { inputTokens: 3, outputTokens: 2 }
 */
export const mergeUsage = (before: Usage | undefined, newer: Usage): Usage => {
  if (!before) return newer
  const merged: Record<string, number | undefined> = { ...before }
  for (const [name, value] of Object.entries(newer) as [string, number | undefined][])
    if (value !== undefined) merged[name] = value
  return merged
}
