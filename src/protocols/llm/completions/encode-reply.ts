import type { JsonObject } from '../../json/json-object.ts'
import type { Asked } from '../chat/codec.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../losses.ts'
import { encodeCall } from './encode-call.ts'
import { finishReasonOf } from './finish.ts'
import { createdOf, replyId } from './reply-id.ts'
import { thoughtMembers } from './thoughts.ts'
import { usageOf } from './usage.ts'

/** Writes a whole answer (OpenAI Chat Completions, `ChatCompletion`). */
export const encodeReply = (reply: ChatReply, asked: Asked, losses: Losses): JsonObject => {
  if (reply.stopSequence !== undefined) losses.drop('stop_sequence')
  const { parts, finish, serviceTier } = reply
  const usage = usageOf(reply.usage)
  const said = {
    toolCalls: parts.some(({ type }) => type === 'toolCall'),
    refusal: parts.some(({ type }) => type === 'refusal'),
  }
  return {
    id: replyId(reply.id),
    object: 'chat.completion',
    created: createdOf(reply.createdAtS),
    model: reply.model === '' ? asked.model : reply.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(parts, losses),
        logprobs: null,
        finish_reason: finishReasonOf(finish, said),
      },
    ],
    ...(usage && { usage }),
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
  }
}

const encodeMessage = (parts: readonly Part[], losses: Losses): JsonObject => {
  if (parts.some(({ type }) => !shown.has(type))) losses.drop('content.type')
  const calls = parts.filter((part) => part.type === 'toolCall')
  return {
    role: 'assistant',
    content: joined(parts, 'text'),
    refusal: joined(parts, 'refusal'),
    ...thoughtMembers(parts),
    ...(calls.length > 0 && { tool_calls: calls.map(encodeCall) }),
  }
}

const joined = (parts: readonly Part[], type: 'text' | 'refusal'): string | null => {
  const texts = parts.flatMap((part) => (part.type === type ? part.text : []))
  return texts.length === 0 ? null : texts.join('')
}

const shown = new Set<Part['type']>(['text', 'refusal', 'thinking', 'hiddenThinking', 'toolCall'])
