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
  // The model may have generated an empty text for a call without arguments, which is not JSON.
  function: { name, arguments: args === '' ? '{}' : args },
  ...callSignature(signature),
})

/**
 * Writes the messages of a request (OpenAI Chat Completions, `ChatCompletionMessageParam`). The instructions are one
 * message at the beginning, which every model's template supports. System messages between tool calls and their results
 * are moved after the results: nothing may stand in between.
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

/** Tool results come first: nothing may stand between them and the calls. */
const encodeUser = (parts: readonly Part[], losses: Losses): readonly JsonObject[] => {
  const results = parts.filter((part) => part.type === 'toolResult')
  const shown = results.flatMap((result) => result.parts.filter(({ type }) => type !== 'text'))
  const userParts = parts.filter(isUserPart)
  if (results.length + userParts.length < parts.length) losses.drop('messages.content.type')
  // A tool message allows text only; other parts of a result become a user message.
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

/** A cache breakpoint of the whole result applies to its last part. */
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
      // Null is only allowed with a tool call or a refusal.
      content: content ?? (calls.length > 0 || refusal !== '' ? null : ''),
      ...(thoughts !== '' && { reasoning_content: thoughts }),
      ...(refusal !== '' && { refusal }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({ ...encodeCall(call), ...cacheControl(call.cache) })),
      }),
    },
  ]
}

/** Signed and hidden thinking belongs to another provider, and only that one can decode it. */
const unsignedThoughts = (parts: readonly Part[], losses: Losses): string => {
  let text = ''
  for (const part of parts) {
    if (part.type === 'hiddenThinking') losses.drop('messages.content.redacted_thinking')
    else if (part.type === 'thinking' && part.signature) losses.drop('messages.content.thinking')
    else if (part.type === 'thinking') text += part.text
  }
  return text
}
