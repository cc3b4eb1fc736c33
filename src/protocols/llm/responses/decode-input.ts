import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import type { Part, TextPart, ToolResultPart } from '../chat/parts.ts'
import type { Turn } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeContent } from './decode-content.ts'
import { readReasoning, thoughtOf } from './reasoning-item.ts'
import { requestValues, isAbsent } from '../members/typed-fields.ts'

/** The conversation of a request. */
export interface ResponsesConversation {
  /** The leading system and developer messages. */
  readonly instructions: readonly TextPart[]
  /** Consecutive items of one role are one turn. */
  readonly turns: readonly Turn[]
}

/**
 * Decodes `input`: a text, or items (`ResponseInputItem` of the SDK).
 *
 * @throws BadRequest for a reference to a stored item, unless it is reasoning: the gateway stores nothing. Clients send
 * references if they assume that items are stored (`store`, whose default is true).
 */
export const decodeInput = (input: unknown, losses: Losses): ResponsesConversation => {
  const draft: Draft = { instructions: [], turns: [] }
  if (typeof input === 'string') addParts(draft, 'user', [{ type: 'text', text: input }])
  else if (Array.isArray(input))
    for (const [i, item] of input.entries())
      decodeItem(draft, requestValues.object(item, `input[${i}]`), `input[${i}]`, losses)
  else throw new BadRequest('input must be a string or an array')
  return draft
}

interface Draft {
  readonly instructions: TextPart[]
  readonly turns: { readonly role: Turn['role']; readonly parts: Part[] }[]
}

const addParts = (draft: Draft, role: Turn['role'], parts: readonly Part[]): void => {
  const last = draft.turns.at(-1)
  if (last?.role === role) for (const part of parts) last.parts.push(part)
  else draft.turns.push({ role, parts: [...parts] })
}

const decodeItem = (draft: Draft, item: JsonObject, field: string, losses: Losses): void => {
  const type = requestValues.textIfAny(item.type, `${field}.type`) ?? (isAbsent(item.role) ? '' : 'message')
  switch (type) {
    case 'message':
      decodeMessage(draft, item, field, losses)
      return
    case 'function_call':
      addParts(draft, 'assistant', [
        {
          type: 'toolCall',
          id: requestValues.word(item.call_id, `${field}.call_id`),
          name: requestValues.word(item.name, `${field}.name`),
          arguments: requestValues.text(item.arguments, `${field}.arguments`),
        },
      ])
      if (!isAbsent(item.namespace)) losses.drop('input.function_call.namespace')
      return
    case 'function_call_output':
      addParts(draft, 'user', [decodeOutput(item, field, losses)])
      return
    case 'reasoning': {
      const reasoning = readReasoning(item, field, requestValues)
      if (reasoning.leavesContent) losses.drop('input.reasoning.content')
      const thought = thoughtOf(reasoning)
      if (thought) addParts(draft, 'assistant', [thought])
      else losses.drop('input.reasoning')
      return
    }
    case '':
    case 'item_reference':
      // A conversation can continue without its reasoning, but not without a message.
      if (requestValues.text(item.id, `${field}.id`).startsWith('rs_')) losses.drop('input.item_reference')
      else
        throw new BadRequest(
          `${field}: nothing is kept here that an item_reference could mean, ask with store: false`,
        )
      return
    default:
      losses.drop(knownItems.has(type) ? `input.${type}` : 'input.unknown')
  }
}

const decodeMessage = (draft: Draft, item: JsonObject, field: string, losses: Losses): void => {
  const parts = decodeContent(item.content, `${field}.content`, losses)
  switch (item.role) {
    case 'system':
    case 'developer':
      for (const part of parts)
        if (part.type !== 'text') throw new BadRequest(`${field}.content: only text may instruct the model`)
        else if (draft.turns.length === 0) draft.instructions.push(part)
        else addParts(draft, 'system', [part])
      return
    case 'user':
      addParts(draft, 'user', parts)
      return
    case 'assistant':
      if (!isAbsent(item.phase)) losses.drop('input.phase')
      addParts(draft, 'assistant', parts)
      return
    default:
      throw new BadRequest(`${field}.role must be user, assistant, system or developer`)
  }
}

const decodeOutput = (item: JsonObject, field: string, losses: Losses): ToolResultPart => ({
  type: 'toolResult',
  id: requestValues.word(item.call_id, `${field}.call_id`),
  name: requestValues.textIfAny(item.name, `${field}.name`),
  parts: decodeContent(item.output, `${field}.output`, losses).map((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'file') return part
    throw new BadRequest(`${field}.output: only text, images and files may be the output of a function`)
  }),
})

/** Items of tools that the provider of this format runs itself, and items that control its stored state. */
const knownItems: ReadonlySet<string> = new Set([
  'additional_tools',
  'apply_patch_call',
  'apply_patch_call_output',
  'code_interpreter_call',
  'compaction',
  'compaction_trigger',
  'computer_call',
  'computer_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'file_search_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'mcp_list_tools',
  'program',
  'program_output',
  'shell_call',
  'shell_call_output',
  'tool_search_call',
  'tool_search_output',
  'web_search_call',
])
