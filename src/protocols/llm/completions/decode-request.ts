import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadRequest, type RequestPlace } from '../chat/codec.ts'
import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { checking } from './checked.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeTools } from './decode-tools.ts'
import { dropRest } from './drop-rest.ts'
import { effortIn } from './effort.ts'

/** Reads a request (OpenAI Chat Completions, `ChatCompletionCreateParams`). */
export const decodeRequest = (body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest => {
  const model = place.model ?? read.textIfAny(body.model, 'model')
  if (model === undefined) throw new BadRequest("missing string field 'model'")
  const streamOptions = read.objectIfAny(body.stream_options, 'stream_options')
  const request: ChatRequest = {
    model,
    ...decodeMessages(body.messages, losses),
    ...decodeTools(body, losses),
    parallelTools: read.booleanIfAny(body.parallel_tool_calls, 'parallel_tool_calls'),
    maxTokens:
      read.numberIfAny(body.max_completion_tokens, 'max_completion_tokens') ??
      read.numberIfAny(body.max_tokens, 'max_tokens'),
    temperature: read.numberIfAny(body.temperature, 'temperature'),
    topP: read.numberIfAny(body.top_p, 'top_p'),
    topK: read.numberIfAny(body.top_k, 'top_k'),
    stop: decodeStop(body.stop),
    seed: read.numberIfAny(body.seed, 'seed'),
    frequencyPenalty: read.numberIfAny(body.frequency_penalty, 'frequency_penalty'),
    presencePenalty: read.numberIfAny(body.presence_penalty, 'presence_penalty'),
    output: decodeOutput(body.response_format, losses),
    reasoning: decodeReasoning(body, losses),
    user: decodeUser(body, losses),
    serviceTier: read.textIfAny(body.service_tier, 'service_tier'),
    streaming: place.streaming ?? read.booleanIfAny(body.stream, 'stream') ?? false,
    wantsUsage: read.booleanIfAny(streamOptions?.include_usage, 'stream_options.include_usage') ?? false,
  }
  dropRest(body, losses)
  return known(request)
}

const decodeStop = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return (read.listIfAny(value, 'stop') ?? []).map((one, i) => read.text(one, `stop[${i}]`))
}

const decodeOutput = (value: unknown, losses: Losses): OutputShape | undefined => {
  const format = read.objectIfAny(value, 'response_format')
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema') {
    losses.drop('response_format')
    return undefined
  }
  const { schema, name, description, strict } = read.object(format.json_schema, 'response_format.json_schema')
  return known<OutputShape>({
    type: 'schema',
    schema: read.objectIfAny(schema, 'response_format.json_schema.schema') ?? {},
    name: read.textIfAny(name, 'response_format.json_schema.name'),
    description: read.textIfAny(description, 'response_format.json_schema.description'),
    strict: read.booleanIfAny(strict, 'response_format.json_schema.strict'),
  })
}

/** `reasoning_effort`, and the object that OpenRouter takes in place of it. */
const decodeReasoning = (body: JsonObject, losses: Losses): Reasoning | undefined => {
  const reasoning = jsonObjectIn(body.reasoning)
  const word =
    read.textIfAny(body.reasoning_effort, 'reasoning_effort') ??
    read.textIfAny(reasoning?.effort, 'reasoning.effort')
  const effort = word === undefined ? undefined : effortIn(word)
  if (word !== undefined && effort === undefined) losses.drop('reasoning_effort')
  const budgetTokens = read.numberIfAny(reasoning?.max_tokens, 'reasoning.max_tokens')
  const hidden = read.booleanIfAny(reasoning?.exclude, 'reasoning.exclude')
  const asked = known({ effort, budgetTokens, visible: hidden === undefined ? undefined : !hidden })
  return Object.keys(asked).length === 0 ? undefined : asked
}

const decodeUser = (body: JsonObject, losses: Losses): string | undefined => {
  const user = read.textIfAny(body.user, 'user')
  const identifier = read.textIfAny(body.safety_identifier, 'safety_identifier')
  if (user !== undefined && identifier !== undefined && user !== identifier) losses.drop('safety_identifier')
  return user ?? identifier
}

/** Without the members that are undefined. */
const known = <T extends object>(all: T): T =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T

const read = checking(BadRequest)
