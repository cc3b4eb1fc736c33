import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import { Fields } from '../fields.ts'
import type { Losses } from '../losses.ts'
import { contentLoss } from './content-loss.ts'
import { replyRules } from './rules.ts'
import { serviceTierOf } from './service-tier.ts'
import { finishOf } from './stop-reasons.ts'
import { usageOf } from './usage.ts'

/** Reads a provider's whole answer (Anthropic Messages API, `Message`). */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const fields = new Fields(body, '', replyRules)
  if (!fields.has('content')) fields.refuse('content', 'is missing')
  const parts: Part[] = []
  for (const block of fields.list('content')) {
    const part = partOf(block, losses)
    if (part) parts.push(part)
  }
  const explanation = refusalOf(body.stop_details)
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

/** Why the model refused, in words for people, where they are given. */
export const refusalOf = (stopDetails: unknown): string | undefined => {
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
