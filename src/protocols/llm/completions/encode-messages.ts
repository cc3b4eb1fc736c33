import type { JsonObject } from '../../json/json-object.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../chat/parts.ts'
import type { ChatRequest, Turn } from '../chat/request.ts'
import { cacheControl } from './cache-control.ts'
import { callSignature } from './decode-tools.ts'
import { encodeContent, encodeWords, isUserPart } from './encode-content.ts'
import type { Losses } from '../dropped-fields.ts'

/** Writes an element of `tool_calls` (OpenAI Chat Completions, `ChatCompletionMessageFunctionToolCall`). */
export const encodeCall = ({ id, name, arguments: args, signature }: ToolCallPart): JsonObject => ({
  id,
  type: 'function',
  // Who calls without arguments may have written nothing, which is no JSON.
  function: { name, arguments: args === '' ? '{}' : args },
  ...callSignature(signature),
})

/**
 * Writes the messages of a request (OpenAI Chat Completions, `ChatCompletionMessageParam`). The instructions are one
 * message at the beginning, for which there is a place in every model's template. What the system says between the calls of
 * tools and their results comes behind the results, for nothing may stand there.
 */
export const encodeMessages = (
  { instructions, turns }: ChatRequest,
  losses: Losses,
): readonly JsonObject[] => {
  const system =
    instructions.length === 0 ? [] : [{ role: 'system', content: encodeWords(instructions, losses) }]
  return [...system, ...resultsAfterCalls(turns).flatMap((turn) => encodeTurn(turn, losses))]
}

const resultsAfterCalls = (turns: readonly Turn[]): readonly Turn[] => {
  const ordered: Turn[] = []
  let ofSystem: Turn[] = []
  for (const turn of turns)
    if (turn.role === 'system') ofSystem.push(turn)
    else if (turn.role === 'user' && turn.parts.some(({ type }) => type === 'toolResult')) ordered.push(turn)
    else {
      for (const one of ofSystem) ordered.push(one)
      ofSystem = []
      ordered.push(turn)
    }
  return [...ordered, ...ofSystem]
}

const encodeTurn = ({ role, parts }: Turn, losses: Losses): readonly JsonObject[] => {
  if (role === 'user') return encodeUser(parts, losses)
  return role === 'assistant' ? encodeAssistant(parts, losses) : encodeSystem(parts, losses)
}

const encodeSystem = (parts: readonly Part[], losses: Losses): readonly JsonObject[] => {
  const words = parts.filter((part) => part.type === 'text')
  return words.length === 0 ? [] : [{ role: 'system', content: encodeWords(words, losses) }]
}

/** Results of tools come first: between them and the calls nothing may stand. */
const encodeUser = (parts: readonly Part[], losses: Losses): readonly JsonObject[] => {
  const results = parts.filter((part) => part.type === 'toolResult')
  const shown = results.flatMap((result) => result.parts.filter(({ type }) => type !== 'text'))
  const userParts = parts.filter(isUserPart)
  if (results.length + userParts.length < parts.length) losses.drop('messages.content.type')
  // What is no text has no place in a tool's message, so that the user shows it.
  const content = encodeContent([...shown, ...userParts], losses)
  return [
    ...results.map((result) => encodeResult(result, losses)),
    ...(content === undefined ? [] : [{ role: 'user', content }]),
  ]
}

const encodeResult = (result: ToolResultPart, losses: Losses): JsonObject => {
  if (result.isError) losses.drop('messages.content.tool_result.is_error')
  const words = result.parts.filter((part) => part.type === 'text')
  const content = encodeContent(words, losses) ?? ''
  return { role: 'tool', tool_call_id: result.id, content: marked(content, result) }
}

/** A mark of the whole result is one of its last part. */
const marked = (
  content: string | readonly JsonObject[],
  { cache }: ToolResultPart,
): string | readonly JsonObject[] => {
  if (!cache) return content
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts.map((part, i) => (i === parts.length - 1 ? { ...part, ...cacheControl(cache) } : part))
}

const encodeAssistant = (parts: readonly Part[], losses: Losses): readonly JsonObject[] => {
  const texts = parts.filter((part) => part.type === 'text')
  const calls = parts.filter((part) => part.type === 'toolCall')
  const refusal = parts.flatMap((part) => (part.type === 'refusal' ? part.text : [])).join('')
  const thoughts = unsignedThoughts(parts, losses)
  const placed = ['text', 'toolCall', 'refusal', 'thinking', 'hiddenThinking']
  if (parts.some(({ type }) => !placed.includes(type))) losses.drop('messages.content.type')
  const content = encodeContent(texts, losses)
  if (content === undefined && calls.length === 0 && refusal === '' && thoughts === '') return []
  return [
    {
      role: 'assistant',
      // Nothing may stand for it only where something else is said.
      content: content ?? (calls.length > 0 || refusal !== '' ? null : ''),
      ...(thoughts !== '' && { reasoning_content: thoughts }),
      ...(refusal !== '' && { refusal }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({ ...encodeCall(call), ...cacheControl(call.cache) })),
      }),
    },
  ]
}

/** Those that are signed or hidden belong to another provider, which alone can make something of them. */
const unsignedThoughts = (parts: readonly Part[], losses: Losses): string => {
  let text = ''
  for (const part of parts) {
    if (part.type === 'hiddenThinking') losses.drop('messages.content.redacted_thinking')
    else if (part.type === 'thinking' && part.signature) losses.drop('messages.content.thinking')
    else if (part.type === 'thinking') text += part.text
  }
  return text
}
