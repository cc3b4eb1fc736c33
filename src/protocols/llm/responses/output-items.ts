import type { JsonObject } from '../../json/json-object.ts'
import type { HiddenThinkingPart, RefusalPart, TextPart, ThinkingPart, ToolCallPart } from '../chat/parts.ts'
import { reasoningFields } from './reasoning-item.ts'

/** A part of a reply that this format can express. */
export type OutputPart = TextPart | RefusalPart | ThinkingPart | HiddenThinkingPart | ToolCallPart

/** The status of an item. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** Prefixes of the ids of items, by the type of their part. */
export const idPrefix = {
  text: 'msg',
  refusal: 'msg',
  thinking: 'rs',
  hiddenThinking: 'rs',
  toolCall: 'fc',
} as const

/** Encodes a part as an item of `output` (`ResponseOutputMessage`, `ResponseReasoningItem`, `ResponseFunctionToolCall`). */
export const outputItem = (part: OutputPart, id: string, status: ItemStatus): JsonObject => {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { id, type: 'message', status, role: 'assistant', content: [contentPart(part)] }
    case 'thinking':
    case 'hiddenThinking':
      return { id, type: 'reasoning', ...reasoningFields(part) }
    case 'toolCall':
      return {
        id,
        type: 'function_call',
        status,
        call_id: part.id,
        name: part.name,
        // Here, a call without arguments has an empty object, not an empty string.
        arguments: part.arguments === '' ? '{}' : part.arguments,
      }
  }
}

/** Encodes the content of a message (`ResponseOutputText`, `ResponseOutputRefusal`). */
export const contentPart = (part: TextPart | RefusalPart): JsonObject =>
  part.type === 'text'
    ? { type: 'output_text', text: part.text, annotations: [], logprobs: [] }
    : { type: 'refusal', refusal: part.text }
