import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { Fields } from '../members/fields.ts'
import { replyRules } from './rules.ts'
import { serviceTierOf, usageOf } from './usage.ts'
import { finishOf } from './stop-reasons.ts'

/** The name of a block's loss. Blocks of tools that run at Anthropic are named by their type. */
export const contentLoss = (type: string): string =>
  `content.${blocksOfAnthropic.has(type) ? type : 'unknown'}`

const blocksOfAnthropic: ReadonlySet<string> = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'tool_reference',
  'browser_state',
  'compaction',
])

/** Decodes a provider's whole response (Anthropic Messages API, `Message`). */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const fields = new Fields(body, '', replyRules)
  if (!fields.has('content')) fields.refuse('content', 'is missing')
  const parts: Part[] = []
  for (const block of fields.list('content')) {
    const part = partOf(block, losses)
    if (part) parts.push(part)
  }
  const explanation = refusalText(body.stop_details)
  if (explanation !== undefined) parts.push({ type: 'refusal', text: explanation })
  const finish = finishOf(
    body.stop_reason,
    parts.some(({ type }) => type === 'toolCall'),
  )
  const stopSequence = fields.text('stop_sequence')
  const usage = usageOf(body.usage)
  const serviceTier = serviceTierOf(body.usage)
  return {
    id: fields.text('id') ?? '',
    model: fields.text('model') ?? '',
    parts,
    finish,
    ...(finish === 'stopSequence' && stopSequence !== undefined && { stopSequence }),
    ...(usage && { usage }),
    ...(serviceTier !== undefined && { serviceTier }),
  }
}

/** The explanation of a refusal, if there is one. */
export const refusalText = (stopDetails: unknown): string | undefined => {
  const explanation = jsonObjectIn(stopDetails)?.explanation
  return typeof explanation === 'string' && explanation !== '' ? explanation : undefined
}

const partOf = (block: Fields, losses: Losses): Part | undefined => {
  const type = block.neededText('type')
  switch (type) {
    case 'text':
      if (hasItems(block.any('citations'))) losses.drop('content.citations')
      return { type: 'text', text: block.neededText('text') }
    case 'thinking': {
      const signature = block.text('signature')
      const text = block.neededText('thinking')
      return signature === undefined || signature === '' ? { type, text } : { type, text, signature }
    }
    case 'redacted_thinking':
      return { type: 'hiddenThinking', data: block.neededText('data') }
    case 'tool_use':
      return {
        type: 'toolCall',
        id: block.neededText('id'),
        name: block.neededText('name'),
        arguments: JSON.stringify(block.neededFields('input').object),
      }
    default:
      losses.drop(contentLoss(type))
      return undefined
  }
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0
