import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import { encodeCall } from './encode-messages.ts'
import { finishReasonOf } from './finish-reason.ts'
import { thoughtMembers } from './reasoning.ts'
import { usageOf } from './usage.ts'
import type { Losses } from '../dropped-fields.ts'

/** The id of a reply, with the prefix that clients of this format expect: its own, or a new one. */
export const replyId = (id: string): string => (id === '' ? `chatcmpl-${crypto.randomUUID()}` : id)

/** The id of a tool call: its own, or a new one, since the result has to refer to it. */
export const callId = (id: string | undefined): string =>
  id ?? `call_${crypto.randomUUID().replaceAll('-', '')}`

/** When a reply was created, in seconds since the epoch: its own time, or now. */
export const createdOf = (createdAtS: number | undefined): number =>
  createdAtS ?? Math.floor(Date.now() / 1000)

/** Encodes a whole reply (OpenAI Chat Completions, `ChatCompletion`). */
export const encodeReply = (reply: ChatReply, options: ReplyOptions, losses: Losses): JsonObject => {
  if (reply.stopSequence !== undefined) losses.drop('stop_sequence')
  const { parts, finish, serviceTier } = reply
  const usage = usageOf(reply.usage)
  const seen = {
    toolCalls: parts.some(({ type }) => type === 'toolCall'),
    refusal: parts.some(({ type }) => type === 'refusal'),
  }
  return {
    id: replyId(reply.id),
    object: 'chat.completion',
    created: createdOf(reply.createdAtS),
    model: reply.model === '' ? options.model : reply.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(parts, losses),
        logprobs: null,
        finish_reason: finishReasonOf(finish, seen),
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
