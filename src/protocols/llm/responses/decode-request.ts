import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest, type ProviderRequestLine } from '../chat/codec.ts'
import { effortIn, efforts } from '../chat/reasoning-effort.ts'
import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeInput } from './decode-input.ts'
import { decodeTools } from './decode-tools.ts'
import { dropUnplaced } from './unsupported-fields.ts'
import { requestValues, isAbsent } from '../members/typed-fields.ts'

/** Decodes a request (`ResponseCreateParams` of the SDK). */
export const decodeRequest = (body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest => {
  dropUnplaced(body, losses)
  const instructions = requestValues.textIfAny(body.instructions, 'instructions')
  const conversation = decodeInput(body.input, losses)
  const user = requestValues.textIfAny(body.user, 'user')
  const identifier = requestValues.textIfAny(body.safety_identifier, 'safety_identifier')
  if (user !== undefined && identifier !== undefined && user !== identifier) losses.drop('user')
  return {
    model: requestValues.word(body.model ?? target.model, 'model'),
    instructions:
      instructions === undefined
        ? conversation.instructions
        : [{ type: 'text', text: instructions }, ...conversation.instructions],
    turns: conversation.turns,
    ...decodeTools(body, losses),
    parallelTools: requestValues.booleanIfAny(body.parallel_tool_calls, 'parallel_tool_calls'),
    maxTokens: requestValues.numberIfAny(body.max_output_tokens, 'max_output_tokens'),
    temperature: requestValues.numberIfAny(body.temperature, 'temperature'),
    topP: requestValues.numberIfAny(body.top_p, 'top_p'),
    stop: [],
    output: decodeText(body.text, losses),
    reasoning: decodeReasoning(body.reasoning, losses),
    user: identifier ?? user,
    serviceTier: requestValues.textIfAny(body.service_tier, 'service_tier'),
    streaming: requestValues.booleanIfAny(body.stream, 'stream') ?? target.streaming ?? false,
    includeUsage: true,
  }
}

const decodeText = (value: unknown, losses: Losses): OutputShape | undefined => {
  const text = requestValues.objectIfAny(value, 'text')
  if (!text) return undefined
  if (!isAbsent(text.verbosity)) losses.drop('text.verbosity')
  // Models write Markdown by default.
  if (text.format === 'markdown') {
    losses.drop('text.format')
    return undefined
  }
  const format = requestValues.objectIfAny(text.format, 'text.format')
  switch (format?.type) {
    case 'markdown':
      losses.drop('text.format')
      return undefined
    case undefined:
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return {
        type: 'schema',
        schema: requestValues.object(format.schema, 'text.format.schema'),
        name: requestValues.textIfAny(format.name, 'text.format.name'),
        description: requestValues.textIfAny(format.description, 'text.format.description'),
        strict: requestValues.booleanIfAny(format.strict, 'text.format.strict'),
      }
    default:
      throw new BadRequest('text.format.type must be text, json_object or json_schema')
  }
}

const decodeReasoning = (value: unknown, losses: Losses): Reasoning | undefined => {
  const reasoning = requestValues.objectIfAny(value, 'reasoning')
  if (!reasoning) return undefined
  const word = requestValues.textIfAny(reasoning.effort, 'reasoning.effort')
  const effort = effortIn(word)
  if (effort === undefined && word !== undefined)
    throw new BadRequest(`reasoning.effort must be one of ${efforts.join(', ')}`)
  const summary =
    requestValues.textIfAny(reasoning.summary, 'reasoning.summary') ??
    requestValues.textIfAny(reasoning.generate_summary, 'reasoning.generate_summary')
  if (summary !== undefined && summary !== 'auto') losses.drop('reasoning.summary')
  for (const name of ['context', 'mode']) if (!isAbsent(reasoning[name])) losses.drop(`reasoning.${name}`)
  if (effort === undefined && summary === undefined) return undefined
  return { effort, visible: summary !== undefined }
}
