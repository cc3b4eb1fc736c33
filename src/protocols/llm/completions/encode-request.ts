import { defined } from '../../json/omit-undefined.ts'
import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, OutputShape, Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheControl } from './cache-control.ts'
import { effortOf } from './reasoning.ts'
import { encodeMessages } from './encode-messages.ts'

/** Writes a request (OpenAI Chat Completions, `ChatCompletionCreateParams`). Streams always request usage. */
export const encodeRequest = (request: ChatRequest, losses: Losses): JsonObject => {
  if (request.topK !== undefined) losses.drop('top_k')
  const { stop } = request
  return defined<JsonObject>({
    model: request.model,
    messages: encodeMessages(request, losses),
    ...encodeTools(request, losses),
    max_completion_tokens: request.maxTokens,
    temperature: request.temperature,
    top_p: request.topP,
    stop: stop.length === 0 ? undefined : stop,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    response_format: request.output && encodeOutput(request.output),
    reasoning_effort: request.reasoning && effortOf(request.reasoning),
    user: request.user,
    service_tier: encodeServiceTier(request.serviceTier, losses),
    ...(request.streaming && { stream: true, stream_options: { include_usage: true } }),
  })
}

/** Without tools, members about their use are not allowed. */
const encodeTools = ({ tools, toolChoice, parallelTools }: ChatRequest, losses: Losses): JsonObject => {
  if (tools.length > 0)
    return {
      tools: tools.map(encodeTool),
      tool_choice: toolChoice && encodeToolChoice(toolChoice),
      parallel_tool_calls: parallelTools,
    }
  if (toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none') losses.drop('tool_choice')
  return {}
}

const encodeTool = ({ name, description, parameters, strict, cache }: Tool): JsonObject => ({
  type: 'function',
  function: {
    name,
    ...(description !== undefined && { description }),
    parameters,
    ...(strict !== undefined && { strict }),
  },
  ...cacheControl(cache),
})

const encodeToolChoice = (choice: ToolChoice): unknown =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } }

const encodeOutput = (output: OutputShape): JsonObject => {
  if (output.type === 'json') return { type: 'json_object' }
  const { schema, name, description, strict } = output
  return {
    type: 'json_schema',
    json_schema: {
      // The format requires a name; other formats have none.
      name: name ?? 'response',
      ...(description !== undefined && { description }),
      schema,
      ...(strict !== undefined && { strict }),
    },
  }
}

const encodeServiceTier = (tier: string | undefined, losses: Losses): string | undefined => {
  if (tier === undefined || serviceTiers.has(tier)) return tier
  // Anthropic's name for it.
  if (tier === 'standard_only') return 'default'
  losses.drop('service_tier')
  return undefined
}

const serviceTiers = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
