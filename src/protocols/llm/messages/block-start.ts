import type { JsonObject } from '../../json/json-object.ts'
import { textIn } from '../../json/typed-values.ts'
import type { BlockStart } from '../chat/events.ts'

/** Decodes the start of a block: `unknown` for an unsupported type, undefined if a field is missing. */
export const blockStart = (type: string, block: JsonObject): BlockStart | 'unknown' | undefined => {
  switch (type) {
    case 'text':
    case 'thinking':
      return { type }
    case 'redacted_thinking': {
      const data = textIn(block.data)
      return !data ? undefined : { type: 'hiddenThinking', data }
    }
    case 'tool_use': {
      const [id, name] = [textIn(block.id), textIn(block.name)]
      return !id || !name ? undefined : { type: 'toolCall', id, name }
    }
    default:
      return 'unknown'
  }
}

/** The type of block that each delta belongs to, and the field of its text. */
export const deltas: ReadonlyMap<string, { readonly block: BlockStart['type']; readonly field: string }> =
  new Map([
    ['text_delta', { block: 'text', field: 'text' }],
    ['thinking_delta', { block: 'thinking', field: 'thinking' }],
    ['signature_delta', { block: 'thinking', field: 'signature' }],
    ['input_json_delta', { block: 'toolCall', field: 'partial_json' }],
  ])
