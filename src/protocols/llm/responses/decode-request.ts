import type { JsonObject } from '../../json/json-object.ts'
import type { RequestPlace } from '../chat/codec.ts'
import { BadRequest } from '../chat/codec.ts'
import { effortIn, efforts } from '../chat/efforts.ts'
import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { decodeInput } from './decode-input.ts'
import { decodeTools } from './decode-tools.ts'
import { dropUnplaced } from './request-losses.ts'
import { asked, isAbsent } from '../checked.ts'

/** Reads a request (`ResponseCreateParams` of the SDK). */
export const decodeRequest = (body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest => {
  dropUnplaced(body, losses)
  const instructions = asked.textIfAny(body.instructions, 'instructions')
  const conversation = decodeInput(body.input, losses)
  const user = asked.textIfAny(body.user, 'user')
  const identifier = asked.textIfAny(body.safety_identifier, 'safety_identifier')
  if (user !== undefined && identifier !== undefined && user !== identifier) losses.drop('user')
  return {
    model: asked.word(body.model ?? place.model, 'model'),
    instructions:
      instructions === undefined
        ? conversation.instructions
        : [{ type: 'text', text: instructions }, ...conversation.instructions],
    turns: conversation.turns,
    ...decodeTools(body, losses),
    parallelTools: asked.booleanIfAny(body.parallel_tool_calls, 'parallel_tool_calls'),
    maxTokens: asked.numberIfAny(body.max_output_tokens, 'max_output_tokens'),
    temperature: asked.numberIfAny(body.temperature, 'temperature'),
    topP: asked.numberIfAny(body.top_p, 'top_p'),
    stop: [],
    output: decodeText(body.text, losses),
    reasoning: decodeReasoning(body.reasoning, losses),
    user: identifier ?? user,
    serviceTier: asked.textIfAny(body.service_tier, 'service_tier'),
    streaming: asked.booleanIfAny(body.stream, 'stream') ?? place.streaming ?? false,
    wantsUsage: true,
  }
}

const decodeText = (value: unknown, losses: Losses): OutputShape | undefined => {
  const text = asked.objectIfAny(value, 'text')
  if (!text) return undefined
  if (!isAbsent(text.verbosity)) losses.drop('text.verbosity')
  const format = asked.objectIfAny(text.format, 'text.format')
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return {
        type: 'schema',
        schema: asked.object(format.schema, 'text.format.schema'),
        name: asked.textIfAny(format.name, 'text.format.name'),
        description: asked.textIfAny(format.description, 'text.format.description'),
        strict: asked.booleanIfAny(format.strict, 'text.format.strict'),
      }
    default:
      throw new BadRequest('text.format.type must be text, json_object or json_schema')
  }
}

const decodeReasoning = (value: unknown, losses: Losses): Reasoning | undefined => {
  const reasoning = asked.objectIfAny(value, 'reasoning')
  if (!reasoning) return undefined
  const word = asked.textIfAny(reasoning.effort, 'reasoning.effort')
  const effort = effortIn(word)
  if (effort === undefined && word !== undefined)
    throw new BadRequest(`reasoning.effort must be one of ${efforts.join(', ')}`)
  const summary =
    asked.textIfAny(reasoning.summary, 'reasoning.summary') ??
    asked.textIfAny(reasoning.generate_summary, 'reasoning.generate_summary')
  if (summary !== undefined && summary !== 'auto') losses.drop('reasoning.summary')
  for (const name of ['context', 'mode']) if (!isAbsent(reasoning[name])) losses.drop(`reasoning.${name}`)
  if (effort === undefined && summary === undefined) return undefined
  return { effort, visible: summary !== undefined }
}
