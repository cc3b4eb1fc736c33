import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { knownFields } from './known-fields.ts'
import { jsonSchemaOf } from './schema.ts'

/** The settings of `generationConfig`. */
export type Generation = Pick<
  ChatRequest,
  | 'maxTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'stop'
  | 'seed'
  | 'frequencyPenalty'
  | 'presencePenalty'
  | 'output'
  | 'reasoning'
>

/** Decodes `generationConfig`. */
export const decodeConfig = (config: Fields | undefined, losses: Losses): Generation => {
  if (!config) return { stop: [] }
  config.dropOthers(readOfConfig, knownFields.generationConfig, 'generationConfig.', losses)
  if ((config.number('candidateCount') ?? 1) > 1) losses.drop('generationConfig.candidateCount')
  return {
    maxTokens: config.number('maxOutputTokens'),
    temperature: config.number('temperature'),
    topP: config.number('topP'),
    topK: config.number('topK'),
    stop: config.texts('stopSequences'),
    seed: config.number('seed'),
    frequencyPenalty: config.number('frequencyPenalty'),
    presencePenalty: config.number('presencePenalty'),
    output: decodeOutput(config, losses),
    reasoning: decodeThinking(config.fields('thinkingConfig'), losses),
  }
}

const decodeOutput = (config: Fields, losses: Losses): OutputShape | undefined => {
  const mediaType = config.text('responseMimeType')
  const schema = config.json('responseSchema')
  const jsonSchema = config.json('responseJsonSchema') ?? (schema && jsonSchemaOf(schema))
  if (mediaType === 'application/json')
    return jsonSchema ? { type: 'schema', schema: jsonSchema } : { type: 'json' }
  if (jsonSchema)
    losses.drop(schema ? 'generationConfig.responseSchema' : 'generationConfig.responseJsonSchema')
  if (mediaType !== undefined && mediaType !== 'text/plain') losses.drop('generationConfig.responseMimeType')
  return undefined
}

const decodeThinking = (thinking: Fields | undefined, losses: Losses): Reasoning | undefined => {
  if (!thinking) return undefined
  thinking.dropOthers(
    knownFields.thinkingConfig,
    knownFields.thinkingConfig,
    'generationConfig.thinkingConfig.',
    losses,
  )
  const visible = thinking.flag('includeThoughts')
  const budget = thinking.number('thinkingBudget')
  if (budget === 0) return { effort: 'none', visible }
  if (budget !== undefined)
    return budget < 0 ? { adaptive: true, visible } : { budgetTokens: budget, visible }
  const level = thinking.text('thinkingLevel')?.toLowerCase()
  if (level === undefined || level === 'thinking_level_unspecified') return { visible }
  if (level === 'minimal' || level === 'low' || level === 'medium' || level === 'high')
    return { effort: level, visible }
  return thinking.refuse('thinkingLevel', 'must be MINIMAL, LOW, MEDIUM or HIGH')
}

const readOfConfig = new Set([
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
])
