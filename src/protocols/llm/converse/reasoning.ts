import type { JsonObject } from '../../json/json-object.ts'
import { canThink } from '../chat/can-think.ts'
import { effortIn } from '../chat/reasoning-effort.ts'
import type { ChatRequest, Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/** What a request sets that models have in ways of their own. */
export interface ReasoningFields {
  /** Of `additionalModelRequestFields`. */
  readonly additional: JsonObject
  /** Of `outputConfig`. */
  readonly effort?: string | undefined
  /** Whether Claude is asked to think, beside which it takes no other sampling. */
  readonly thinks: boolean
}

/** Reads how much the model is to think, and reports the other fields that are only for models of one maker. */
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
  // What the SDK calls effort is that of the whole answer.
  return effort && (output?.has('effort') ? { effort, thinks: false } : { effort })
}

/**
 * Writes it for a model. Claude takes a number of tokens, at least 1024 and less than it may write, or decides for
 * itself; the models of OpenAI take an effort. Whatever else is on Bedrock is not asked to think.
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
  // Efforts of others become a budget; these are said beside it, or in place of it.
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

/** Whether a model is by Anthropic, for which Bedrock's ids and profiles say so; what an ARN stands for is not known. */
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
