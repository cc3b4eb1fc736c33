import type { JsonObject } from '../../json/json-object.ts'
import type { ChatRequest, OutputShape, Reasoning, ReasoningEffort, Tool } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { supportsCacheBreakpoints } from '../models/openai-models.ts'
import { encodeInput, encodeInstructions } from './encode-input.ts'

/**
 * Encodes a request (`ResponseCreateParams` of the SDK).
 *
 * It contains the whole conversation, so it asks the provider not to store anything and to return encrypted reasoning.
 */
export const encodeRequest = (request: ChatRequest, losses: Losses): JsonObject => {
  dropUnplaced(request, losses)
  const { instructions, tools, toolChoice, output, user } = request
  const reasoning = encodeReasoning(request.reasoning)
  const target = { losses, supportsBreakpoints: supportsCacheBreakpoints(request.model) }
  // Only messages can be marked.
  const isMarked = instructions.some(({ cache }) => cache)
  const asMessage = isMarked && target.supportsBreakpoints ? [encodeInstructions(instructions, target)] : []
  const input = [...asMessage, ...encodeInput(request.turns, target)]
  const body: JsonObject = { model: request.model, input }
  const put = (name: string, value: unknown): void => {
    if (value !== undefined) body[name] = value
  }
  if (instructions.length > 0 && asMessage.length === 0) {
    body.instructions = instructions.map(({ text }) => text).join('\n')
    if (isMarked) losses.drop('cache_control')
  }
  if (tools.length > 0) body.tools = tools.map((tool) => encodeTool(tool, losses))
  put(
    'tool_choice',
    typeof toolChoice === 'object' ? { type: 'function', name: toolChoice.tool } : toolChoice,
  )
  put('parallel_tool_calls', request.parallelTools)
  if (request.maxTokens !== undefined)
    body.max_output_tokens = Math.max(request.maxTokens, LEAST_OUTPUT_TOKENS)
  put('temperature', request.temperature)
  put('top_p', request.topP)
  if (output) body.text = { format: encodeFormat(output) }
  put('reasoning', reasoning)
  if (reasoning && reasoning.effort !== 'none') body.include = ['reasoning.encrypted_content']
  if (user !== undefined && user.length > LONGEST_USER) losses.drop('user')
  // The newer name of the field is not supported by all services with this format.
  else put('user', user)
  if (request.serviceTier !== undefined && !serviceTiers.has(request.serviceTier)) losses.drop('service_tier')
  else put('service_tier', request.serviceTier)
  body.store = false
  if (request.streaming) body.stream = true
  return body
}

const dropUnplaced = (request: ChatRequest, losses: Losses): void => {
  if (request.stop.length > 0) losses.drop('stop')
  if (request.topK !== undefined) losses.drop('top_k')
  if (request.seed !== undefined) losses.drop('seed')
  if (request.frequencyPenalty !== undefined) losses.drop('frequency_penalty')
  if (request.presencePenalty !== undefined) losses.drop('presence_penalty')
}

const encodeTool = (tool: Tool, losses: Losses): JsonObject => {
  if (tool.cache) losses.drop('tools.cache_control')
  return {
    type: 'function',
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.parameters,
    // The default of this format is strict, and most schemas do not comply with the rules of strict ones.
    strict: tool.strict ?? false,
  }
}

const encodeFormat = (output: OutputShape): JsonObject =>
  output.type === 'json'
    ? { type: 'json_object' }
    : {
        type: 'json_schema',
        name: output.name ?? 'output',
        ...(output.description === undefined ? {} : { description: output.description }),
        schema: output.schema,
        ...(output.strict === undefined ? {} : { strict: output.strict }),
      }

const encodeReasoning = (reasoning: Reasoning | undefined): JsonObject | undefined => {
  if (!reasoning) return undefined
  const effort =
    reasoning.effort ?? effortOf(reasoning.budgetTokens) ?? (reasoning.adaptive ? 'high' : undefined)
  if (effort === undefined && !reasoning.visible) return undefined
  return { ...(effort === undefined ? {} : { effort }), ...(reasoning.visible ? { summary: 'auto' } : {}) }
}

/** The effort whose budget is nearest. */
const effortOf = (budgetTokens: number | undefined): ReasoningEffort | undefined => {
  if (budgetTokens === undefined) return undefined
  if (budgetTokens <= 0) return 'none'
  let nearest: (typeof budgets)[number] = budgets[0]
  for (const budget of budgets)
    if (Math.abs(budget[0] - budgetTokens) < Math.abs(nearest[0] - budgetTokens)) nearest = budget
  return nearest[1]
}

const budgets = [
  [1024, 'low'],
  [2048, 'medium'],
  [4096, 'high'],
  [8192, 'xhigh'],
  [16_384, 'max'],
] as const satisfies readonly (readonly [number, ReasoningEffort])[]

/** OpenAI refuses a smaller limit. Clients request one token to check their credentials. */
const LEAST_OUTPUT_TOKENS = 16
/** OpenAI refuses longer ones. */
const LONGEST_USER = 64
/** `ServiceTier` of the SDK. */
const serviceTiers: ReadonlySet<string> = new Set([
  'auto',
  'default',
  'fast',
  'flex',
  'priority',
  'scale',
  'ultrafast',
])
