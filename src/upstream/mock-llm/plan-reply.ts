import type { Part, ToolCallPart, ToolResultPart } from '../../protocols/llm/chat/parts.ts'
import type { ChatReply, Finish } from '../../protocols/llm/chat/reply.ts'
import type { ChatRequest } from '../../protocols/llm/chat/request.ts'
import type { Usage } from '../../protocols/llm/usage.ts'
import { type Instructions, instructionsIn } from './instructions.ts'
import { countMockTokens, mockTokens } from './mock-tokens.ts'
import { mockWords } from './filler-text.ts'
import { promptTokens } from './prompt-tokens.ts'
import { schemaInstance } from './schema-instance.ts'

/** The planned reply to a request. */
export interface ReplyPlan {
  readonly reply: ChatReply
  readonly instructions: Instructions
}

/**
 * Plans the reply to a conversation: by the instructions in the user's last message, else an echo of it.
 *
 * @param id Of the reply; ids of tool calls are derived from it.
 */
export const planReply = (request: ChatRequest, id: string): ReplyPlan => {
  const lastTurn = lastWords(request)
  const instructions = instructionsIn(lastTurn.text, request.model)
  const parts = partsOf(request, instructions, lastTurn.results, id.slice(id.search(/[^-_]*$/)))
  const limited = withinLimits(parts, request)
  const usage = instructions.usage ?? usageOf(request, limited.parts)
  return {
    instructions,
    reply: {
      id,
      model: request.model,
      createdAtS: CREATED_AT_S,
      parts: limited.parts,
      finish: instructions.finish ?? limited.finish ?? finishOf(parts),
      stopSequence: limited.stopSequence,
      usage: { ...usage, providerInputTokens: usage.inputTokens, providerTotalTokens: usage.totalTokens },
    },
  }
}

/** Always the same, as everything about the mock. */
const CREATED_AT_S = 1_767_225_600

interface UserMessage {
  readonly text: string
  readonly results: readonly ToolResultPart[]
}

/** The user's messages since the model's last turn. */
const lastWords = ({ turns }: ChatRequest): UserMessage => {
  const texts: string[] = []
  const results: ToolResultPart[] = []
  const since = turns.findLastIndex(({ role }) => role === 'assistant') + 1
  for (const { role, parts } of turns.slice(since))
    if (role === 'user')
      for (const part of parts)
        if (part.type === 'text') texts.push(part.text)
        else if (part.type === 'toolResult') results.push(part)
  return { text: texts.join('\n'), results }
}

const partsOf = (
  request: ChatRequest,
  instructions: Instructions,
  results: readonly ToolResultPart[],
  seed: string,
): readonly Part[] => {
  const { think, refuse, say, words, json, tools, rest } = instructions
  const parts: Part[] = []
  if (think !== undefined) parts.push({ type: 'thinking', text: think, signature: signatureOf(seed) })
  if (refuse !== undefined) return [...parts, { type: 'refusal', text: refuse }]
  const calls = tools.length > 0 ? toolCalls(request, tools, seed) : forcedCall(request, results, seed)
  if (say !== undefined) parts.push(textPart(say))
  if (words !== undefined) parts.push(textPart(mockWords(words)))
  if (json !== undefined) parts.push(textPart(json))
  if (calls.length > 0) return [...parts, ...calls]
  if (say !== undefined || words !== undefined || json !== undefined) return parts
  return [...parts, textPart(ownWords(request, rest, results))]
}

const textPart = (text: string): Part => ({ type: 'text', text })

const ownWords = ({ output }: ChatRequest, rest: string, results: readonly ToolResultPart[]): string => {
  if (output?.type === 'schema') return JSON.stringify(schemaInstance(output.schema))
  if (output) return JSON.stringify({ answer: shortened(rest) })
  if (results.length > 0) return results.map(aboutResult).join(' ')
  return rest === ''
    ? 'Hello from the mock model!'
    : `Hello from the mock model! You said: ${shortened(rest)}`
}

/** Long prompts of agents are not echoed in full. */
const shortened = (text: string): string => (text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text)

const MAX_ECHO = 1000

const aboutResult = ({ name, parts, isError }: ToolResultPart): string => {
  const text = parts.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join(' ')
  return `${name ?? 'The tool'} ${isError ? 'failed' : 'answered'}: ${shortened(text)}`
}

const toolCalls = (
  { tools, parallelTools }: ChatRequest,
  toolSpecs: Instructions['tools'],
  seed: string,
): ToolCallPart[] =>
  (parallelTools === false ? toolSpecs.slice(0, 1) : toolSpecs).map(({ name, arguments: given }, i) => ({
    type: 'toolCall',
    id: `call_${seed}_${i}`,
    name,
    arguments: given ?? argumentsFor(tools.find((tool) => tool.name === name)?.parameters),
  }))

const argumentsFor = (schema: unknown): string => {
  const made = schema === undefined ? {} : schemaInstance(schema)
  return JSON.stringify(made ?? {})
}

/**
 * Where the request requires a tool call and no instruction names one. Results in the last turn mean that it was
 * called.
 */
const forcedCall = (
  request: ChatRequest,
  results: readonly ToolResultPart[],
  seed: string,
): ToolCallPart[] => {
  const { toolChoice, tools } = request
  if (results.length > 0 || toolChoice === undefined) return []
  const name = toolChoice === 'required' ? tools[0]?.name : typeof toolChoice === 'object' && toolChoice.tool
  return name ? toolCalls(request, [{ name }], seed) : []
}

interface Limited {
  readonly parts: readonly Part[]
  readonly finish?: Finish
  readonly stopSequence?: string
}

/** Ends the text at the limits of the request. */
const withinLimits = (parts: readonly Part[], { maxTokens, stop }: ChatRequest): Limited => {
  let left = maxTokens ?? Infinity
  const kept: Part[] = []
  for (const part of parts) {
    if (part.type !== 'text') {
      kept.push(part)
      continue
    }
    const sequence = firstOf(stop, part.text)
    const text = sequence ? part.text.slice(0, sequence.at) : part.text
    const tokens = [...mockTokens(text)]
    if (tokens.length > left)
      return { parts: [...kept, textPart(tokens.slice(0, left).join(''))], finish: 'length' }
    left -= tokens.length
    kept.push(textPart(text))
    if (sequence) return { parts: kept, finish: 'stopSequence', stopSequence: sequence.text }
  }
  return { parts: kept }
}

const firstOf = (stop: readonly string[], text: string): { text: string; at: number } | undefined => {
  const found = stop
    .filter((one) => one !== '')
    .map((one) => ({ text: one, at: text.indexOf(one) }))
    .filter(({ at }) => at >= 0)
  return found.sort((a, b) => a.at - b.at)[0]
}

const finishOf = (parts: readonly Part[]): Finish => {
  if (parts.some(({ type }) => type === 'toolCall')) return 'toolCalls'
  return parts.some(({ type }) => type === 'refusal') ? 'refusal' : 'stop'
}

const usageOf = (request: ChatRequest, parts: readonly Part[]): Usage => {
  let outputTokens = 0
  let reasoningTokens = 0
  for (const part of parts) {
    if (part.type === 'thinking') reasoningTokens += countMockTokens(part.text)
    else if (part.type === 'toolCall') outputTokens += countMockTokens(part.name + part.arguments)
    else if (part.type === 'text' || part.type === 'refusal') outputTokens += countMockTokens(part.text)
  }
  outputTokens += reasoningTokens
  const inputTokens = promptTokens(request)
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(reasoningTokens > 0 && { reasoningTokens }),
  }
}

const signatureOf = (seed: string): string => Buffer.from(`mock ${seed}`).toString('base64')
