import type { JsonObject } from '../../json/json-object.ts'
import type { Reasoning, ReasoningEffort } from '../chat/request.ts'

/**
 * `thinkingConfig` for a model: those before Gemini 3 take a number of tokens, later ones a level, and a number only to
 * stay compatible. Who asks for thoughts is shown them, unless it says otherwise.
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

/** Also true of what these models do not have yet: signed calls, and media in the results of functions. */
export const isBeforeGemini3 = (model: string): boolean => /gemini-[12]\b|gemini-pro(-vision)?$/.test(model)

const budgetOf = (effort: ReasoningEffort, model: string): number =>
  // The larger models cannot do without.
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
