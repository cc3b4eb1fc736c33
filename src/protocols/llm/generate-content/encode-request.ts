import type { JsonObject } from '../../json/json-object.ts'
import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { ChatRequest, Tool, ToolChoice } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { encodeContents } from './encode-contents.ts'
import { thinkingConfig } from './thinking.ts'

/** Encodes `GenerateContentRequest`. The model and whether to stream are in the path. */
export const encodeRequest = (chatRequest: ChatRequest, losses: Losses): JsonObject => {
  const request = hoistInstructions(chatRequest, losses)
  const { instructions, tools, toolChoice } = request
  const body: JsonObject = { contents: encodeContents(request, losses) }
  const texts = instructions.filter(({ text }) => text !== '')
  if (instructions.some(({ cache }) => cache)) losses.drop('cache_control')
  if (texts.length > 0) body.systemInstruction = { parts: texts.map(({ text }) => ({ text })) }
  if (tools.length > 0) body.tools = [{ functionDeclarations: tools.map((tool) => encodeTool(tool, losses)) }]
  if (toolChoice !== undefined) body.toolConfig = { functionCallingConfig: encodeChoice(toolChoice) }
  const config = encodeConfig(request)
  if (Object.keys(config).length > 0) body.generationConfig = config
  const tier = request.serviceTier
  if (tier !== undefined && tiers.has(tier)) body.serviceTier = tiers.get(tier)
  else if (tier !== undefined && tier !== 'auto') losses.drop('service_tier')
  if (request.parallelTools === false) losses.drop('parallel_tool_calls')
  if (request.user !== undefined) losses.drop('user')
  return body
}

const encodeConfig = (request: ChatRequest): JsonObject => {
  const config: JsonObject = {}
  const set = (name: string, value: unknown): void => {
    if (value !== undefined) config[name] = value
  }
  set('maxOutputTokens', request.maxTokens)
  set('temperature', request.temperature)
  set('topP', request.topP)
  set('topK', request.topK)
  set('stopSequences', request.stop.length > 0 ? request.stop : undefined)
  set('seed', request.seed)
  set('frequencyPenalty', request.frequencyPenalty)
  set('presencePenalty', request.presencePenalty)
  set('responseMimeType', request.output && 'application/json')
  set('responseJsonSchema', request.output?.type === 'schema' ? request.output.schema : undefined)
  set('thinkingConfig', request.reasoning && thinkingConfig(request.reasoning, request.model))
  return config
}

const encodeTool = ({ name, description, parameters, strict, cache }: Tool, losses: Losses): JsonObject => {
  if (strict) losses.drop('tools.strict')
  if (cache) losses.drop('cache_control')
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema: parameters }
}

const encodeChoice = (choice: ToolChoice): JsonObject => {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.tool] }
  return { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
}

/** Service tiers by the names of clients' formats, with Google's. */
const tiers = new Map([
  ['default', 'standard'],
  ['standard', 'standard'],
  ['standard_only', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
])
