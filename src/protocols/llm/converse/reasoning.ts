import type { JsonObject } from '../../json/json-object.ts'
import { effortIn } from '../chat/efforts.ts'
import type { ChatRequest, Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Fields } from '../fields.ts'
import type { Losses } from '../losses.ts'

/** What a request sets that models have in ways of their own. */
export interface ReasoningFields {
  /** Of `additionalModelRequestFields`. */
  readonly additional: JsonObject
  /** Of `outputConfig`. */
  readonly effort?: string | undefined
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
  return effort && { effort }
}

/**
 * Writes it for a model. Claude takes a number of tokens, at least 1024 and less than it may write, or decides for
 * itself; the models of OpenAI take an effort. Whatever else is on Bedrock is not asked to think.
 */
export const encodeReasoning = (request: ChatRequest, losses: Losses): ReasoningFields => {
  const { reasoning, model } = request
  if (!reasoning) return { additional: {} }
  const { effort, adaptive, budgetTokens } = reasoning
  if (isClaude(model)) {
    if (adaptive)
      return { additional: { thinking: { type: 'adaptive' } }, effort: effort && claudeEffort(effort) }
    const wanted = budgetTokens ?? (effort === undefined ? undefined : budgets[effort])
    if (wanted === undefined || effort === 'none') return { additional: {} }
    const budget = Math.min(Math.max(wanted, SMALLEST), (request.maxTokens ?? Number.POSITIVE_INFINITY) - 1)
    if (budget >= SMALLEST) return { additional: { thinking: { type: 'enabled', budget_tokens: budget } } }
  } else if (model.includes('openai.') && effort !== undefined && effort !== 'none')
    return { additional: { reasoning_effort: openaiEfforts[effort] } }
  if (effort !== 'none') losses.drop('reasoning')
  return { additional: {} }
}

/** Whether a model is by Anthropic, for which Bedrock's ids and profiles say so; what an ARN stands for is not known. */
export const isClaude = (model: string): boolean => model.includes('anthropic.') || model.includes('claude')

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
