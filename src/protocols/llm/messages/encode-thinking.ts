import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, Reasoning, ReasoningEffort } from '../chat/request.ts'
import { canThink } from '../chat/can-think.ts'
import type { Losses } from '../dropped-fields.ts'

/** How much the model is to think, as Anthropic says it. */
export interface Thinking {
  /** Absent: as the model does by itself. */
  readonly thinking?: JsonObject
  /** `output_config.effort`. */
  readonly effort?: string
  /** Whether the model is asked to think, which other fields have to make way for. */
  readonly on: boolean
}

/**
 * Writes how much the model is to think. Thoughts are given up, as a loss, where Anthropic would refuse the request for
 * them: if there is no room for 1024 tokens of them, if a tool must be called, and if tools have been called without
 * thoughts that could go back with their results.
 */
export const thinkingOf = (request: ChatRequest, maxTokens: number, losses: Losses): Thinking => {
  const { reasoning } = request
  if (!reasoning) return none
  if (isOff(reasoning)) return { thinking: { type: 'disabled' }, on: false }
  const budget = budgetOf(reasoning)
  const possible = budget === 'adaptive' || (budget !== undefined && maxTokens > LEAST)
  if (!possible || !canThink(request)) {
    losses.drop('reasoning')
    return none
  }
  const display =
    reasoning.visible === undefined ? {} : { display: reasoning.visible ? 'summarized' : 'omitted' }
  // Efforts of others have become the budget; of these the client said both.
  const explicitEffort =
    budget === 'adaptive' || reasoning.budgetTokens !== undefined ? reasoning.effort : undefined
  const effort =
    explicitEffort === undefined ? {} : { effort: explicitEffort === 'minimal' ? 'low' : explicitEffort }
  const thinking =
    budget === 'adaptive'
      ? { type: 'adaptive', ...display }
      : { type: 'enabled', budget_tokens: Math.max(LEAST, Math.min(budget, maxTokens - 1)), ...display }
  return { thinking, ...effort, on: true }
}

const isOff = ({ effort, budgetTokens }: Reasoning): boolean => effort === 'none' || budgetTokens === 0

const budgetOf = ({ effort, budgetTokens, adaptive }: Reasoning): number | 'adaptive' | undefined => {
  if (adaptive) return 'adaptive'
  return budgetTokens ?? (effort && effort !== 'none' ? budgets[effort] : undefined)
}

const none: Thinking = { on: false }

/** Fewer tokens to think in are refused. */
const LEAST = 1024

const budgets: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16384,
}
