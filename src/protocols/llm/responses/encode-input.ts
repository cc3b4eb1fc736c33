import type { JsonObject } from '../../json/json-object.ts'
import type { Part, ToolResultPart } from '../chat/parts.ts'
import type { Turn } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { encodeAssistantPart, encodeInputPart, encodeUserPart } from './encode-content.ts'
import { reasoningFields } from './reasoning-item.ts'

/**
 * Writes a conversation as items (`ResponseInputItem` of the SDK): messages, calls, their outputs and thoughts, in the
 * order in which they were said.
 *
 * Items get no ids: the provider would look for them among what it keeps, and it has never seen them.
 */
export const encodeInput = (turns: readonly Turn[], losses: Losses): JsonObject[] => {
  const items: JsonObject[] = []
  for (const { role, parts } of turns) {
    let content: JsonObject[] | undefined
    for (const part of parts) {
      const said = role === 'user' ? encodeUserPart(part, losses) : encodeAssistantPart(part, losses)
      if (said) {
        if (content) content.push(said)
        else items.push({ type: 'message', role, content: (content = [said]) })
        continue
      }
      content = undefined
      const item = encodeItem(part, losses)
      if (item) items.push(item)
    }
  }
  return items
}

const encodeItem = (part: Part, losses: Losses): JsonObject | undefined => {
  switch (part.type) {
    case 'toolCall':
      if (part.cache) losses.drop('cache_control')
      if (part.signature !== undefined) losses.drop('tool_calls.signature')
      return { type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments }
    case 'toolResult':
      return encodeResult(part, losses)
    case 'thinking':
      // Without the provider's own seal a thought is not taken back.
      if (part.signature === undefined) break
      return { type: 'reasoning', ...reasoningFields(part) }
    case 'hiddenThinking':
      return { type: 'reasoning', ...reasoningFields(part) }
    default:
  }
  losses.drop(part.type)
  return undefined
}

const encodeResult = (part: ToolResultPart, losses: Losses): JsonObject => {
  if (part.cache) losses.drop('cache_control')
  if (part.isError) losses.drop('tool_result.is_error')
  const [only, ...more] = part.parts
  if (only?.type === 'text' && only.cache) losses.drop('cache_control')
  return {
    type: 'function_call_output',
    call_id: part.id,
    output:
      only === undefined
        ? ''
        : only.type === 'text' && more.length === 0
          ? only.text
          : part.parts.map((shown) => encodeInputPart(shown, losses)),
  }
}
