import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, Reasoning, ReasoningEffort } from '../chat/request.ts'
import { canThink } from '../chat/can-think.ts'
import type { Losses } from '../dropped-fields.ts'

/** The reasoning settings in Anthropic's format. */
export interface Thinking {
  /** Absent: the default of the model. */
  readonly thinking?: JsonObject
  /** `output_config.effort`. */
  readonly effort?: string
  /** Whether thinking is on, which restricts other fields. */
  readonly on: boolean
}

/**
 * Encodes the reasoning settings. Thinking is dropped, as a loss, where Anthropic would refuse it: if 1024 tokens of it
 * do not fit, if a tool call is required, and if earlier tool calls have no thinking to send back with their results.
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
  // An effort alone has become the budget. It is sent beside a budget only if the client set both.
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

/** Anthropic refuses a smaller budget. */
const LEAST = 1024

const budgets: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16384,
}
