import type { JsonObject } from '../../json/json-object.ts'
import { hoistInstructions } from '../chat/hoist-instructions.ts'
import type { TextPart } from '../chat/parts.ts'
import type { ChatRequest, Tool, Turn, OutputShape } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheControl } from './cache-control.ts'
import { blocksOf, contentOf } from './encode-parts.ts'
import { thinkingOf, type Thinking } from './encode-thinking.ts'

/**
 * Encodes a request for Anthropic (Messages API, `MessageCreateParams`).
 *
 * Losses have the field's name in the most common format: `seed`, `response_format.name`.
 *
 * @throws BadRequest if the arguments of a tool call in the conversation are not a JSON object.
 */
export const encodeRequest = (chatRequest: ChatRequest, losses: Losses): JsonObject => {
  const request = hoistSystemTurns(chatRequest, losses)
  const maxTokens = request.maxTokens ?? DEFAULT_MAX_TOKENS
  const thinking = thinkingOf(request, maxTokens, losses)
  if (request.seed !== undefined) losses.drop('seed')
  if (request.frequencyPenalty !== undefined) losses.drop('frequency_penalty')
  if (request.presencePenalty !== undefined) losses.drop('presence_penalty')
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...systemOf(request.instructions),
    messages: messagesOf(request.turns, losses),
    ...toolFields(request, losses),
    ...samplingOf(request, thinking.on, losses),
    ...stopOf(request.stop, losses),
    ...(thinking.thinking && { thinking: thinking.thinking }),
    ...outputConfig(request, thinking, losses),
    ...(request.user !== undefined && { metadata: { user_id: request.user } }),
    ...serviceTierOf(request.serviceTier, losses),
    ...(request.streaming && { stream: true }),
  }
}

/**
 * Moves system messages into the instructions unless the model accepts them in place. Claude does since Opus 4.8, after
 * a user turn, at the end or before an assistant turn.
 */
const hoistSystemTurns = (request: ChatRequest, losses: Losses): ChatRequest => {
  const takesThem = isSinceOpus48(request.model)
  return hoistInstructions(
    request,
    losses,
    (before, after) => takesThem && before?.role === 'user' && (!after || after.role === 'assistant'),
  )
}

/** Matches names such as `claude-opus-4-8`, `claude-opus-4.8` and `claude-sonnet-5`, with any suffix. */
const isSinceOpus48 = (model: string): boolean => {
  const version = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model)
  if (!version) return false
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)]
  return major > 4 || (major === 4 && minor >= 8)
}

/** One string, unless its parts have cache marks. */
const systemOf = (instructions: readonly TextPart[]): JsonObject => {
  const texts = instructions.filter(({ text }) => text !== '')
  if (texts.length === 0) return {}
  if (!texts.some(({ cache }) => cache)) return { system: texts.map(({ text }) => text).join('\n') }
  return { system: texts.map(({ text, cache }) => ({ type: 'text', text, ...cacheControl(cache) })) }
}

/** Joins consecutive turns of one role: all tool results must follow the calls in one message. */
const messagesOf = (turns: readonly Turn[], losses: Losses): JsonObject[] => {
  const messages: { role: Turn['role']; blocks: JsonObject[] }[] = []
  for (const { role, parts } of turns) {
    const blocks = blocksOf(parts, losses)
    const last = messages.at(-1)
    if (blocks.length === 0) continue
    if (last?.role === role) last.blocks.push(...blocks)
    else messages.push({ role, blocks })
  }
  return messages.map(({ role, blocks }) => ({ role, content: contentOf(resultsFirst(blocks)) }))
}

/** Moves tool results before the other blocks of the user: Anthropic refuses them elsewhere. */
const resultsFirst = (blocks: JsonObject[]): JsonObject[] => {
  const lastResult = blocks.findLastIndex(isResult)
  if (lastResult < 0 || blocks.slice(0, lastResult).every(isResult)) return blocks
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

const isResult = (block: JsonObject): boolean => block.type === 'tool_result'

const toolFields = (request: ChatRequest, losses: Losses): JsonObject => {
  const { tools, toolChoice, parallelTools } = request
  if (tools.length === 0) {
    // A tool choice without tools is refused. Only one that requires a call is a loss.
    if (toolChoice === 'required' || typeof toolChoice === 'object') losses.drop('tool_choice')
    return {}
  }
  const single = parallelTools === false && toolChoice !== 'none'
  const choice = toolChoice ?? (single ? 'auto' : undefined)
  return {
    tools: tools.map(toolOf),
    ...(choice !== undefined && {
      tool_choice: { ...toolChoiceOf(choice), ...(single && { disable_parallel_tool_use: true }) },
    }),
  }
}

const toolOf = ({ name, description, parameters, strict, cache }: Tool): JsonObject => ({
  name,
  ...(description !== undefined && { description }),
  input_schema: parameters.type === undefined ? { type: 'object', ...parameters } : parameters,
  ...(strict !== undefined && { strict }),
  ...cacheControl(cache),
})

const toolChoiceOf = (choice: NonNullable<ChatRequest['toolChoice']>): JsonObject => {
  if (typeof choice === 'object') return { type: 'tool', name: choice.tool }
  return { type: choice === 'required' ? 'any' : choice }
}

/** The maximum temperature is 1. With thinking, it is fixed, and `top_p` must be between 0.95 and 1. */
const samplingOf = (request: ChatRequest, thinks: boolean, losses: Losses): JsonObject => {
  const { temperature, topP, topK } = request
  const fields: JsonObject = {}
  if (temperature !== undefined) {
    const kept = Math.min(temperature, 1)
    if (kept !== temperature || (thinks && kept !== 1)) losses.drop('temperature')
    if (!thinks) fields.temperature = kept
  }
  if (topP !== undefined) {
    if (thinks && topP < 0.95) losses.drop('top_p')
    else fields.top_p = topP
  }
  if (topK !== undefined) {
    if (thinks) losses.drop('top_k')
    else fields.top_k = topK
  }
  return fields
}

/** Encodes `output_config`: the output format and the effort. */
const outputConfig = (request: ChatRequest, thinking: Thinking, losses: Losses): JsonObject => {
  const config = {
    ...(request.output && { format: formatOf(request.output, losses) }),
    ...(thinking.effort !== undefined && { effort: thinking.effort }),
  }
  return Object.keys(config).length > 0 ? { output_config: config } : {}
}

const formatOf = (output: OutputShape, losses: Losses): JsonObject => {
  if (output.type === 'json') return { type: 'json_schema', schema: { type: 'object' } }
  if (output.name !== undefined) losses.drop('response_format.name')
  if (output.description !== undefined) losses.drop('response_format.description')
  // Schemas are always strict.
  if (output.strict === false) losses.drop('response_format.strict')
  return { type: 'json_schema', schema: output.schema }
}

/** Stop sequences of white space only are refused. */
const stopOf = (stop: readonly string[], losses: Losses): JsonObject => {
  const kept = stop.filter((text) => text.trim() !== '')
  if (kept.length < stop.length) losses.drop('stop')
  return kept.length > 0 ? { stop_sequences: kept } : {}
}

const serviceTierOf = (tier: string | undefined, losses: Losses): JsonObject => {
  if (tier === undefined) return {}
  const known = serviceTiers.get(tier)
  if (known === undefined) losses.drop('service_tier')
  return known === undefined ? {} : { service_tier: known }
}

/** In this format, the tier controls only whether prepaid capacity may be used. */
const serviceTiers = new Map([
  ['auto', 'auto'],
  ['priority', 'auto'],
  ['default', 'standard_only'],
])

/** Anthropic requires the field. */
const DEFAULT_MAX_TOKENS = 4096
