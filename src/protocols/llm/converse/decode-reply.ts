import type { JsonObject } from '../../json/json-object.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { citedText, decodeReasoningBlock, decodeToolUse } from './decode-blocks.ts'
import { finishOf } from './stop-reason.ts'
import { knownFields } from './known-fields.ts'
import { replyRules } from './rules.ts'
import { usageIn } from './usage.ts'

/** Decodes `ConverseResponse`, which has neither an id nor the model. */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const reply = new Fields(body, '', replyRules)
  reply.dropOthers(readOfReply, knownOfReply, '', losses)
  const parts: Part[] = []
  for (const block of reply.neededFields('output').neededFields('message').list('content')) {
    const part = decodeBlock(block, losses)
    if (part) parts.push(part)
  }
  return {
    id: '',
    model: '',
    parts,
    finish: finishOf(reply.neededText('stopReason')),
    stopSequence: reply.fields('additionalModelResponseFields')?.text('stop_sequence'),
    usage: usageIn(reply.any('usage')),
    serviceTier: reply.fields('serviceTier')?.text('type'),
  }
}

const decodeBlock = (block: Fields, losses: Losses): Part | undefined => {
  const text = block.text('text')
  if (text !== undefined) return text === '' ? undefined : { type: 'text', text }
  const use = block.fields('toolUse')
  if (use && use.text('type') !== 'server_tool_use') return decodeToolUse(use)
  const reasoning = block.fields('reasoningContent')
  if (reasoning) return decodeReasoningBlock(reasoning)
  const cited = block.fields('citationsContent')
  if (cited) {
    losses.drop('output.message.content.citationsContent')
    return citedText(cited)
  }
  block.dropOthers(none, knownFields.block, 'output.message.content.', losses)
  return undefined
}

const none: ReadonlySet<string> = new Set()
const readOfReply = new Set([
  'output',
  'stopReason',
  'usage',
  'serviceTier',
  'additionalModelResponseFields',
  // Latency and its settings.
  'metrics',
  'performanceConfig',
])
const knownOfReply = new Set(['trace'])
