import type { JsonObject } from '../../json/json-object.ts'
import { canThink } from '../chat/can-think.ts'
import { effortIn } from '../chat/reasoning-effort.ts'
import type { ChatRequest, Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/** The reasoning settings of a request, which differ by model. */
export interface ReasoningFields {
  /** For `additionalModelRequestFields`. */
  readonly additional: JsonObject
  /** For `outputConfig`. */
  readonly effort?: string | undefined
  /** Whether thinking is enabled for Claude, which then accepts no other sampling parameters. */
  readonly thinks: boolean
}

/** Decodes the reasoning settings, and reports other model-specific fields as losses. */
export const decodeReasoning = (
  additional: Fields | undefined,
  output: Fields | undefined,
  losses: Losses,
): Reasoning | undefined => {
  additional?.dropOthers(readOfAdditional, readOfAdditional, 'additionalModelRequestFields.', losses)
  const word = output?.text('effort') ?? additional?.text('reasoning_effort')
  const effort = effortIn(word)
  if (word !== undefined && !effort) losses.drop('outputConfig.effort')
  const thinking = additional?.fields('thinking') ?? additional?.fields('reasoning_config')
  const type = thinking?.text('type')
  if (type === 'disabled') return { effort: 'none' }
  if (type === 'adaptive') return { adaptive: true, effort, visible: true }
  if (type === 'enabled') return { budgetTokens: thinking?.number('budget_tokens'), effort, visible: true }
  // The effort of `outputConfig` is that of the whole response.
  return effort && (output?.has('effort') ? { effort, thinks: false } : { effort })
}

/**
 * Encodes reasoning for a model. Claude has a budget of at least 1024 tokens and less than `maxTokens`, or adaptive
 * thinking; OpenAI's models have an effort. For all other models, reasoning is not set.
 */
export const encodeReasoning = (request: ChatRequest, losses: Losses): ReasoningFields => {
  const { reasoning, model } = request
  if (!reasoning) return none
  const { effort } = reasoning
  if (isClaude(model)) return claudeReasoning(request, reasoning, losses)
  if (effort === 'none') return none
  if (model.includes('openai.') && effort !== undefined)
    return { additional: { reasoning_effort: openaiEfforts[effort] }, thinks: false }
  losses.drop(reasoning.thinks === false ? 'reasoning.effort' : 'reasoning')
  return none
}

const claudeReasoning = (
  request: ChatRequest,
  { effort, adaptive, budgetTokens, thinks }: Reasoning,
  losses: Losses,
): ReasoningFields => {
  // Effort alone becomes a budget; otherwise it is set beside the budget, or instead of one.
  const isExplicit = adaptive === true || budgetTokens !== undefined || thinks === false
  const own = isExplicit && effort !== undefined && effort !== 'none' ? { effort: claudeEffort(effort) } : {}
  if (effort === 'none' || thinks === false) return { ...none, ...own }
  const thinkingBudget = adaptive ? 'adaptive' : (budgetTokens ?? budgets[effort ?? 'none'])
  if (thinkingBudget === undefined) return none
  const thinking = claudeThinking(thinkingBudget, request)
  if (thinking) return { additional: { thinking }, ...own, thinks: true }
  losses.drop('reasoning')
  return { ...none, ...own }
}

const claudeThinking = (
  thinkingBudget: number | 'adaptive',
  request: ChatRequest,
): JsonObject | undefined => {
  if (thinkingBudget === 'adaptive') return { type: 'adaptive' }
  if (!canThink(request)) return undefined
  const budget = Math.min(
    Math.max(thinkingBudget, SMALLEST),
    (request.maxTokens ?? Number.POSITIVE_INFINITY) - 1,
  )
  return budget < SMALLEST ? undefined : { type: 'enabled', budget_tokens: budget }
}

/** Whether a model is Anthropic's, by its Bedrock id or profile; an ARN does not show it. */
export const isClaude = (model: string): boolean => model.includes('anthropic.') || model.includes('claude')

const none: ReasoningFields = { additional: {}, thinks: false }

const claudeEffort = (effort: ReasoningEffort): string =>
  effort === 'none' || effort === 'minimal' ? 'low' : effort

const budgets = {
  none: undefined,
  minimal: 1024,
  low: 1024,
  medium: 2048,
  high: 4096,
  xhigh: 8192,
  max: 16_384,
} as const satisfies Record<ReasoningEffort, number | undefined>

const openaiEfforts = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const

const SMALLEST = 1024
const readOfAdditional = new Set(['thinking', 'reasoning_config', 'reasoning_effort', 'top_k'])
