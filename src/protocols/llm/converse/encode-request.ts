import type { JsonObject } from '../../json/json-object.ts'
import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest, OutputShape, Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { cachePoint, encodeMessages } from './encode-messages.ts'
import { encodeReasoning, isClaude } from './reasoning.ts'

/** Writes `ConverseRequest`. The model and whether to stream are in the path. */
export const encodeRequest = (chatRequest: ChatRequest, losses: Losses): JsonObject => {
  const request = hoistInstructions(chatRequest, losses)
  const body: JsonObject = { messages: encodeMessages(request.turns, losses) }
  const system = request.instructions
    .filter(({ text }) => text.trim() !== '')
    .flatMap(({ text, cache }) => (cache ? [{ text }, cachePoint(cache)] : [{ text }]))
  if (system.length > 0) body.system = system
  const { additional, effort, thinks } = encodeReasoning(request, losses)
  const inference = encodeInference(thinks ? withoutSampling(request, losses) : request)
  if (Object.keys(inference).length > 0) body.inferenceConfig = inference
  const toolConfig = encodeToolConfig(request, losses)
  if (toolConfig) body.toolConfig = toolConfig
  const topK = isClaude(request.model) && !thinks ? request.topK : undefined
  const fields = topK === undefined ? additional : { ...additional, top_k: topK }
  if (Object.keys(fields).length > 0) body.additionalModelRequestFields = fields
  const textFormat = request.output && encodeOutput(request.output, losses)
  if (textFormat || effort !== undefined)
    body.outputConfig = { ...(textFormat ? { textFormat } : {}), ...(effort === undefined ? {} : { effort }) }
  const tier = request.serviceTier
  if (tier !== undefined && tiers.has(tier)) body.serviceTier = { type: tier }
  dropUnsayable(request, losses)
  return body
}

/** With thinking, a model accepts none of these but the default temperature. */
const withoutSampling = (request: ChatRequest, losses: Losses): ChatRequest => {
  if (request.temperature !== undefined && request.temperature !== 1) losses.drop('temperature')
  if (request.topP !== undefined) losses.drop('top_p')
  if (request.topK !== undefined) losses.drop('top_k')
  return { ...request, temperature: undefined, topP: undefined }
}

const dropUnsayable = (request: ChatRequest, losses: Losses): void => {
  const { serviceTier, topK, model } = request
  if (serviceTier !== undefined && serviceTier !== 'auto' && !tiers.has(serviceTier))
    losses.drop('service_tier')
  if (topK !== undefined && !isClaude(model)) losses.drop('top_k')
  if (request.seed !== undefined) losses.drop('seed')
  if (request.frequencyPenalty !== undefined) losses.drop('frequency_penalty')
  if (request.presencePenalty !== undefined) losses.drop('presence_penalty')
  if (request.parallelTools === false) losses.drop('parallel_tool_calls')
  if (request.user !== undefined) losses.drop('user')
}

const encodeInference = ({ maxTokens, temperature, topP, stop }: ChatRequest): JsonObject => ({
  ...(maxTokens === undefined ? {} : { maxTokens }),
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { topP }),
  ...(stop.length === 0 ? {} : { stopSequences: stop }),
})

const encodeToolConfig = (request: ChatRequest, losses: Losses): JsonObject | undefined => {
  const { tools, toolChoice, turns } = request
  const areUsed = turns.some(({ parts }) =>
    parts.some(({ type }) => type === 'toolCall' || type === 'toolResult'),
  )
  if (tools.length === 0) {
    if (toolChoice === 'required' || typeof toolChoice === 'object') losses.drop('tool_choice')
    return areUsed ? { tools: [encodeTool(placeholder)] } : undefined
  }
  if (toolChoice === 'none') {
    // Converse has no such choice. Tools without earlier calls can be omitted; with calls they are required.
    if (!areUsed) return undefined
    losses.drop('tool_choice')
  }
  const entries = tools.flatMap((tool) => {
    const entry = encodeTool(tool)
    return tool.cache ? [entry, cachePoint(tool.cache)] : [entry]
  })
  const choice = toolChoice === undefined || toolChoice === 'none' ? undefined : encodeChoice(toolChoice)
  return { tools: entries, ...(choice ? { toolChoice: choice } : {}) }
}

/**
 * Bedrock requires tools if the conversation has calls. The tools of those calls are not offered again: a client that
 * omitted them does not expect another call.
 */
const placeholder: Tool = {
  name: 'no_tool_available',
  description: 'Not a tool, and never to be called. The tools that were called before are gone.',
  parameters: { type: 'object', properties: {} },
}

const encodeTool = ({ name, description, parameters, strict }: Tool): JsonObject => ({
  toolSpec: {
    name,
    ...(description === undefined || description === '' ? {} : { description }),
    inputSchema: { json: parameters },
    ...(strict === undefined ? {} : { strict }),
  },
})

const encodeChoice = (choice: Exclude<ToolChoice, 'none'>): JsonObject => {
  if (typeof choice === 'object') return { tool: { name: choice.tool } }
  return choice === 'required' ? { any: {} } : { auto: {} }
}

const encodeOutput = (output: OutputShape, losses: Losses): JsonObject | undefined => {
  if (output.type === 'json') {
    losses.drop('response_format')
    return undefined
  }
  const { schema, name, description } = output
  const jsonSchema = {
    schema: JSON.stringify(schema),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  }
  return { type: 'json_schema', structure: { jsonSchema } }
}

const tiers = new Set(['default', 'flex', 'priority', 'reserved'])
