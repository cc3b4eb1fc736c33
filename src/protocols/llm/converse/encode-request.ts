import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, OutputShape, Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { cachePoint, encodeMessages } from './encode-messages.ts'
import { encodeReasoning, isClaude } from './reasoning.ts'

/** Writes `ConverseRequest`. The model and whether to stream are in the path. */
export const encodeRequest = (request: ChatRequest, losses: Losses): JsonObject => {
  const body: JsonObject = { messages: encodeMessages(request.turns, losses) }
  const system = request.instructions
    .filter(({ text }) => text.trim() !== '')
    .flatMap(({ text, cache }) => (cache ? [{ text }, cachePoint(cache)] : [{ text }]))
  if (system.length > 0) body.system = system
  const inference = encodeInference(request)
  if (Object.keys(inference).length > 0) body.inferenceConfig = inference
  const toolConfig = encodeToolConfig(request, losses)
  if (toolConfig) body.toolConfig = toolConfig
  const { additional, effort } = encodeReasoning(request, losses)
  if (request.topK !== undefined && isClaude(request.model)) additional.top_k = request.topK
  if (Object.keys(additional).length > 0) body.additionalModelRequestFields = additional
  const textFormat = request.output && encodeOutput(request.output, losses)
  if (textFormat || effort !== undefined)
    body.outputConfig = { ...(textFormat ? { textFormat } : {}), ...(effort === undefined ? {} : { effort }) }
  const tier = request.serviceTier
  if (tier !== undefined && tiers.has(tier)) body.serviceTier = { type: tier }
  dropUnsayable(request, losses)
  return body
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
  if (tools.length === 0) return undefined
  if (toolChoice === 'none') {
    // There is no such choice. Tools that nobody has called yet need not be there; others have to.
    const areUsed = turns.some(({ parts }) =>
      parts.some(({ type }) => type === 'toolCall' || type === 'toolResult'),
    )
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
