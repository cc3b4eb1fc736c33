import { defined } from '../../json/omit-undefined.ts'
import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadRequest, type ProviderRequestLine } from '../chat/codec.ts'
import { effortIn } from '../chat/reasoning-effort.ts'
import type { ChatRequest, OutputShape, Reasoning } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { requestValues } from '../members/typed-fields.ts'
import { decodeMessages } from './decode-messages.ts'
import { decodeTools } from './decode-tools.ts'
import { dropRest } from './unsupported-fields.ts'

/** Reads a request (OpenAI Chat Completions, `ChatCompletionCreateParams`). */
export const decodeRequest = (body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest => {
  const model = target.model ?? requestValues.textIfAny(body.model, 'model')
  if (model === undefined) throw new BadRequest("missing string field 'model'")
  const streamOptions = requestValues.objectIfAny(body.stream_options, 'stream_options')
  const request: ChatRequest = {
    model,
    ...decodeMessages(body.messages, losses),
    ...decodeTools(body, losses),
    parallelTools: requestValues.booleanIfAny(body.parallel_tool_calls, 'parallel_tool_calls'),
    maxTokens:
      requestValues.numberIfAny(body.max_completion_tokens, 'max_completion_tokens') ??
      requestValues.numberIfAny(body.max_tokens, 'max_tokens'),
    temperature: requestValues.numberIfAny(body.temperature, 'temperature'),
    topP: requestValues.numberIfAny(body.top_p, 'top_p'),
    topK: requestValues.numberIfAny(body.top_k, 'top_k'),
    stop: decodeStop(body.stop),
    seed: requestValues.numberIfAny(body.seed, 'seed'),
    frequencyPenalty: requestValues.numberIfAny(body.frequency_penalty, 'frequency_penalty'),
    presencePenalty: requestValues.numberIfAny(body.presence_penalty, 'presence_penalty'),
    output: decodeOutput(body.response_format, losses),
    reasoning: decodeReasoning(body, losses),
    user: decodeUser(body, losses),
    serviceTier: requestValues.textIfAny(body.service_tier, 'service_tier'),
    streaming: target.streaming ?? requestValues.booleanIfAny(body.stream, 'stream') ?? false,
    includeUsage:
      requestValues.booleanIfAny(streamOptions?.include_usage, 'stream_options.include_usage') ?? false,
  }
  dropRest(body, losses)
  return defined(request)
}

const decodeStop = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return requestValues.listOrNone(value, 'stop').map((one, i) => requestValues.text(one, `stop[${i}]`))
}

const decodeOutput = (value: unknown, losses: Losses): OutputShape | undefined => {
  const format = requestValues.objectIfAny(value, 'response_format')
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'json' }
  if (format.type !== 'json_schema') {
    losses.drop('response_format')
    return undefined
  }
  const { schema, name, description, strict } = requestValues.object(
    format.json_schema,
    'response_format.json_schema',
  )
  return defined<OutputShape>({
    type: 'schema',
    schema: requestValues.objectIfAny(schema, 'response_format.json_schema.schema') ?? {},
    name: requestValues.textIfAny(name, 'response_format.json_schema.name'),
    description: requestValues.textIfAny(description, 'response_format.json_schema.description'),
    strict: requestValues.booleanIfAny(strict, 'response_format.json_schema.strict'),
  })
}

/** `reasoning_effort`, or OpenRouter's `reasoning` object. */
const decodeReasoning = (body: JsonObject, losses: Losses): Reasoning | undefined => {
  const reasoning = jsonObjectIn(body.reasoning)
  const word =
    requestValues.textIfAny(body.reasoning_effort, 'reasoning_effort') ??
    requestValues.textIfAny(reasoning?.effort, 'reasoning.effort')
  const effort = effortIn(word)
  if (word !== undefined && effort === undefined) losses.drop('reasoning_effort')
  const budgetTokens = requestValues.numberIfAny(reasoning?.max_tokens, 'reasoning.max_tokens')
  const hidden = requestValues.booleanIfAny(reasoning?.exclude, 'reasoning.exclude')
  const fields = defined({ effort, budgetTokens, visible: hidden === undefined ? undefined : !hidden })
  return Object.keys(fields).length === 0 ? undefined : fields
}

const decodeUser = (body: JsonObject, losses: Losses): string | undefined => {
  const user = requestValues.textIfAny(body.user, 'user')
  const identifier = requestValues.textIfAny(body.safety_identifier, 'safety_identifier')
  if (user !== undefined && identifier !== undefined && user !== identifier) losses.drop('safety_identifier')
  return user ?? identifier
}
