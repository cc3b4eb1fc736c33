import { defined } from '../../json/defined.ts'
import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadRequest, type RequestPlace } from '../chat/codec.ts'
import { effortIn } from '../chat/efforts.ts'
import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { asked } from '../checked.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeTools } from './decode-tools.ts'
import { dropRest } from './drop-rest.ts'

/** Reads a request (OpenAI Chat Completions, `ChatCompletionCreateParams`). */
export const decodeRequest = (body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest => {
  const model = place.model ?? asked.textIfAny(body.model, 'model')
  if (model === undefined) throw new BadRequest("missing string field 'model'")
  const streamOptions = asked.objectIfAny(body.stream_options, 'stream_options')
  const request: ChatRequest = {
    model,
    ...decodeMessages(body.messages, losses),
    ...decodeTools(body, losses),
    parallelTools: asked.booleanIfAny(body.parallel_tool_calls, 'parallel_tool_calls'),
    maxTokens:
      asked.numberIfAny(body.max_completion_tokens, 'max_completion_tokens') ??
      asked.numberIfAny(body.max_tokens, 'max_tokens'),
    temperature: asked.numberIfAny(body.temperature, 'temperature'),
    topP: asked.numberIfAny(body.top_p, 'top_p'),
    topK: asked.numberIfAny(body.top_k, 'top_k'),
    stop: decodeStop(body.stop),
    seed: asked.numberIfAny(body.seed, 'seed'),
    frequencyPenalty: asked.numberIfAny(body.frequency_penalty, 'frequency_penalty'),
    presencePenalty: asked.numberIfAny(body.presence_penalty, 'presence_penalty'),
    output: decodeOutput(body.response_format, losses),
    reasoning: decodeReasoning(body, losses),
    user: decodeUser(body, losses),
    serviceTier: asked.textIfAny(body.service_tier, 'service_tier'),
    streaming: place.streaming ?? asked.booleanIfAny(body.stream, 'stream') ?? false,
    wantsUsage: asked.booleanIfAny(streamOptions?.include_usage, 'stream_options.include_usage') ?? false,
  }
  dropRest(body, losses)
  return defined(request)
}

const decodeStop = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return asked.listOrNone(value, 'stop').map((one, i) => asked.text(one, `stop[${i}]`))
}

const decodeOutput = (value: unknown, losses: Losses): OutputShape | undefined => {
  const format = asked.objectIfAny(value, 'response_format')
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema') {
    losses.drop('response_format')
    return undefined
  }
  const { schema, name, description, strict } = asked.object(
    format.json_schema,
    'response_format.json_schema',
  )
  return defined<OutputShape>({
    type: 'schema',
    schema: asked.objectIfAny(schema, 'response_format.json_schema.schema') ?? {},
    name: asked.textIfAny(name, 'response_format.json_schema.name'),
    description: asked.textIfAny(description, 'response_format.json_schema.description'),
    strict: asked.booleanIfAny(strict, 'response_format.json_schema.strict'),
  })
}

/** `reasoning_effort`, and the object that OpenRouter takes in place of it. */
const decodeReasoning = (body: JsonObject, losses: Losses): Reasoning | undefined => {
  const reasoning = jsonObjectIn(body.reasoning)
  const word =
    asked.textIfAny(body.reasoning_effort, 'reasoning_effort') ??
    asked.textIfAny(reasoning?.effort, 'reasoning.effort')
  const effort = effortIn(word)
  if (word !== undefined && effort === undefined) losses.drop('reasoning_effort')
  const budgetTokens = asked.numberIfAny(reasoning?.max_tokens, 'reasoning.max_tokens')
  const hidden = asked.booleanIfAny(reasoning?.exclude, 'reasoning.exclude')
  const wanted = defined({ effort, budgetTokens, visible: hidden === undefined ? undefined : !hidden })
  return Object.keys(wanted).length === 0 ? undefined : wanted
}

const decodeUser = (body: JsonObject, losses: Losses): string | undefined => {
  const user = asked.textIfAny(body.user, 'user')
  const identifier = asked.textIfAny(body.safety_identifier, 'safety_identifier')
  if (user !== undefined && identifier !== undefined && user !== identifier) losses.drop('safety_identifier')
  return user ?? identifier
}
