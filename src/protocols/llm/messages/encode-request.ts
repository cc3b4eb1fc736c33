import type { JsonObject } from '../../json/json-object.ts'
import type { TextPart } from '../chat/parts.ts'
import type { ChatRequest, Tool, Turn } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { cacheControl } from './cache-control.ts'
import { outputConfig } from './encode-output.ts'
import { blocksOf, contentOf } from './encode-parts.ts'
import { thinkingOf } from './encode-thinking.ts'
import { hoistSystemTurns } from './system-turns.ts'

/**
 * Writes a request for Anthropic (Messages API, `MessageCreateParams`).
 *
 * Losses are called as most clients call the field: `seed`, `response_format.name`.
 *
 * @throws BadRequest if the arguments of a tool call in the conversation are no JSON object.
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

/** One text, unless marks for the cache have to stand between its parts. */
const systemOf = (instructions: readonly TextPart[]): JsonObject => {
  const texts = instructions.filter(({ text }) => text !== '')
  if (texts.length === 0) return {}
  if (!texts.some(({ cache }) => cache)) return { system: texts.map(({ text }) => text).join('\n') }
  return { system: texts.map(({ text, cache }) => ({ type: 'text', text, ...cacheControl(cache) })) }
}

/** Turns of one side are joined: results of tools have to follow the calls all in one message. */
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

/** Whatever else the user says comes after the results of tools: Anthropic refuses them in any other place. */
const resultsFirst = (blocks: JsonObject[]): JsonObject[] => {
  const lastResult = blocks.findLastIndex(isResult)
  if (lastResult < 0 || blocks.slice(0, lastResult).every(isResult)) return blocks
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

const isResult = (block: JsonObject): boolean => block.type === 'tool_result'

const toolFields = (request: ChatRequest, losses: Losses): JsonObject => {
  const { tools, toolChoice, parallelTools } = request
  if (tools.length === 0) {
    // A choice among no tools is refused, and only one that asks for a tool means anything.
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

/** Temperatures end at 1 here. A model that thinks has its own, and takes `top_p` only between 0.95 and 1. */
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

/** Texts of nothing but white space are refused. */
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

/** Here a request says whether it may use capacity that was paid for in advance. */
const serviceTiers = new Map([
  ['auto', 'auto'],
  ['priority', 'auto'],
  ['default', 'standard_only'],
])

/** Anthropic knows no default of its own. */
const DEFAULT_MAX_TOKENS = 4096
