import type { JsonObject } from '../../json/json-object.ts'
import type { Part, TextPart, ToolResultPart } from '../chat/parts.ts'
import type { Turn } from '../chat/request.ts'
import {
  breakpoint,
  type ContentTarget,
  encodeAssistantPart,
  encodeInputPart,
  encodeUserPart,
} from './encode-content.ts'
import { reasoningFields } from './reasoning-item.ts'

/**
 * Encodes a conversation as items (`ResponseInputItem` of the SDK): messages, calls, their outputs and reasoning, in
 * their original order.
 *
 * Items get no ids: the provider would look for them among its stored items and not find them.
 */
export const encodeInput = (turns: readonly Turn[], target: ContentTarget): JsonObject[] => {
  const items: JsonObject[] = []
  for (const { role, parts } of turns) {
    let content: JsonObject[] | undefined
    for (const part of parts) {
      const contentPart =
        role !== 'assistant' ? encodeUserPart(part, target) : encodeAssistantPart(part, target.losses)
      if (contentPart) {
        if (content) content.push(contentPart)
        else items.push({ type: 'message', role, content: (content = [contentPart]) })
        continue
      }
      content = undefined
      const item = encodeItem(part, target)
      if (item) items.push(item)
    }
  }
  return items
}

/** Encodes instructions as a system message. */
export const encodeInstructions = (parts: readonly TextPart[], target: ContentTarget): JsonObject => ({
  type: 'message',
  role: 'system',
  content: parts.map((part) => encodeInputPart(part, target)),
})

const encodeItem = (part: Part, target: ContentTarget): JsonObject | undefined => {
  const { losses } = target
  switch (part.type) {
    case 'toolCall':
      if (part.cache) losses.drop('cache_control')
      if (part.signature !== undefined) losses.drop('tool_calls.signature')
      return { type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }
    case 'toolResult':
      return encodeResult(part, target)
    case 'thinking':
      // The provider accepts no reasoning without its own signature.
      if (part.signature === undefined) break
      return { type: 'reasoning', ...reasoningFields(part) }
    case 'hiddenThinking':
      return { type: 'reasoning', ...reasoningFields(part) }
    default:
  }
  losses.drop(part.type)
  return undefined
}

const encodeResult = (part: ToolResultPart, target: ContentTarget): JsonObject => {
  if (part.isError) target.losses.drop('tool_result.is_error')
  const shown = part.parts.map((one) => encodeInputPart(one, target))
  const last = shown.pop()
  // A mark of the whole result goes to its last part.
  const marked = { ...last, ...breakpoint(part.cache, target) }
  if (last) shown.push(marked)
  const [only, ...more] = part.parts
  const isText = only?.type === 'text' && more.length === 0 && !('prompt_cache_breakpoint' in marked)
  return {
    type: 'function_call_output',
    call_id: part.id,
    output: only === undefined ? '' : isText ? only.text : shown,
  }
}
