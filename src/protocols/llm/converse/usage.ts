import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Usage } from '../usage.ts'

/** Decodes `TokenUsage`, whose input excludes cached tokens. */
export const usageIn = (value: unknown): Usage | undefined => {
  const usage = jsonObjectIn(value)
  if (!usage) return undefined
  const count = (name: string): number | undefined => {
    const figure = usage[name]
    return typeof figure === 'number' && figure >= 0 ? figure : undefined
  }
  const input = count('inputTokens')
  const output = count('outputTokens')
  const read = count('cacheReadInputTokens')
  const written = count('cacheWriteInputTokens')
  const total = count('totalTokens')
  const all = input === undefined ? undefined : input + (read ?? 0) + (written ?? 0)
  return {
    inputTokens: all,
    outputTokens: output,
    totalTokens: all === undefined || output === undefined ? total : all + output,
    cachedInputTokens: read,
    cacheCreationInputTokens: written,
    providerInputTokens: input,
    providerTotalTokens: total,
  }
}

/** Encodes `TokenUsage`; unknown figures are omitted. */
export const tokenUsage = (usage: Usage): JsonObject => {
  const { inputTokens, outputTokens, cachedInputTokens, cacheCreationInputTokens } = usage
  const cached = (cachedInputTokens ?? 0) + (cacheCreationInputTokens ?? 0)
  const total =
    usage.totalTokens ??
    (inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens)
  return {
    ...(inputTokens === undefined ? {} : { inputTokens: Math.max(0, inputTokens - cached) }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(total === undefined ? {} : { totalTokens: total }),
    ...(cachedInputTokens === undefined ? {} : { cacheReadInputTokens: cachedInputTokens }),
    ...(cacheCreationInputTokens === undefined ? {} : { cacheWriteInputTokens: cacheCreationInputTokens }),
  }
}
