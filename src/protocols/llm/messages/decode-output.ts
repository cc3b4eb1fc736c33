import type { OutputShape, Reasoning, ReasoningEffort } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'

/** Decodes the output format: `output_config.format`, or `output_format`, its name in the beta. */
export const outputShapeOf = (body: Fields, losses: Losses): OutputShape | undefined => {
  const format = body.fields('output_config')?.fields('format') ?? formatOfBeta(body, losses)
  if (!format) return undefined
  if (format.neededText('type') !== 'json_schema') return format.refuse('type', 'must be "json_schema"')
  const schema = format.neededFields('schema').object
  // The schema of any object is called JSON mode in other formats.
  const anyObject = schema.type === 'object' && Object.keys(schema).length === 1
  return anyObject ? { type: 'json' } : { type: 'schema', schema }
}

/** Some clients send the name of a format that Anthropic does not have, such as `markdown`. It is dropped. */
const formatOfBeta = (body: Fields, losses: Losses): Fields | undefined => {
  if (typeof body.any('output_format') !== 'string') return body.fields('output_format')
  losses.drop('output_format')
  return undefined
}

/** Decodes the reasoning settings: `thinking` and `output_config.effort`. */
export const reasoningOf = (body: Fields, losses: Losses): Reasoning | undefined => {
  const config = body.fields('output_config')
  config?.dropOthers(configFields, noFields, 'output_config.', losses)
  const effort = effortOf(config)
  const thinking = body.fields('thinking')
  if (!thinking) return effort && { effort, thinks: false }
  const visible = visibleOf(thinking)
  switch (thinking.neededText('type')) {
    case 'enabled': {
      const budgetTokens = thinking.number('budget_tokens')
      if (budgetTokens === undefined) return thinking.refuse('budget_tokens', 'is missing')
      // Before `display` existed, thinking was always visible.
      return { budgetTokens, visible: visible ?? true, ...(effort && { effort }) }
    }
    case 'adaptive':
      return { adaptive: true, ...(visible !== undefined && { visible }), ...(effort && { effort }) }
    case 'disabled':
      // Without thinking, effort controls the length of the output, which other formats cannot express.
      if (effort) losses.drop('output_config.effort')
      return { effort: 'none' }
    case 'between_tools':
      losses.drop('thinking')
      return effort && { effort, thinks: false }
    default:
      return thinking.refuse('type', 'must be one of enabled, adaptive, disabled, between_tools')
  }
}

const visibleOf = (thinking: Fields): boolean | undefined => {
  const display = thinking.text('display')
  return display === undefined ? undefined : display !== 'omitted'
}

const effortOf = (config: Fields | undefined): ReasoningEffort | undefined => {
  const effort = config?.text('effort')
  if (!config || effort === undefined) return undefined
  if (!efforts.has(effort)) return config.refuse('effort', 'must be one of low, medium, high, xhigh, max')
  return effort as ReasoningEffort
}

const efforts = new Set(['low', 'medium', 'high', 'xhigh', 'max'])
const configFields = new Set(['effort', 'format'])
const noFields = new Set<string>()
