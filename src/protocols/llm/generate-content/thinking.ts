import type { JsonObject } from '../../json/json-object.ts'
import type { Reasoning, ReasoningEffort } from '../chat/request.ts'

/**
 * `thinkingConfig` for a model: before Gemini 3 a token budget, later a level; a budget is still accepted for
 * compatibility. Enabled thinking is visible unless the request disables that.
 */
export const thinkingConfig = (reasoning: Reasoning, model: string): JsonObject | undefined => {
  const { effort, budgetTokens, adaptive, visible } = reasoning
  const config: JsonObject = {}
  if (budgetTokens !== undefined) config.thinkingBudget = budgetTokens
  else if (effort !== undefined && isBeforeGemini3(model)) config.thinkingBudget = budgetOf(effort, model)
  else if (effort !== undefined) config.thinkingLevel = levels[effort]
  else if (adaptive && isBeforeGemini3(model)) config.thinkingBudget = -1
  const requested =
    adaptive === true || (budgetTokens ?? (effort === undefined || effort === 'none' ? 0 : 1)) !== 0
  if (visible !== undefined || requested) config.includeThoughts = visible ?? true
  return Object.keys(config).length === 0 ? undefined : config
}

/** These models also lack signed calls, and media in function results. */
export const isBeforeGemini3 = (model: string): boolean => /gemini-[12]\b|gemini-pro(-vision)?$/.test(model)

const budgetOf = (effort: ReasoningEffort, model: string): number =>
  // The larger models cannot disable thinking.
  effort === 'none' ? (model.includes('pro') ? 128 : 0) : budgets[effort]

const budgets = { minimal: 1024, low: 1024, medium: 2048, high: 4096, xhigh: 8192, max: 16_384 } as const

const levels = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
} as const satisfies Record<ReasoningEffort, string>
