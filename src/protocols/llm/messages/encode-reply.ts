import type { JsonObject } from '../../json/json-object.ts'
import { argumentsIn } from '../chat/arguments.ts'
import { type ReplyOptions, BadReply } from '../chat/codec.ts'
import type { Part, ToolCallPart } from '../chat/parts.ts'
import type { ChatReply, Finish } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { serviceTier, usageFields } from './usage.ts'
import { stopReason } from './stop-reasons.ts'

/** Creates an id for a message whose provider sent none. */
export const messageId = (): string => `msg_${crypto.randomUUID().replaceAll('-', '')}`

/**
 * Encodes a whole reply for a client (Anthropic Messages API, `Message`).
 *
 * @throws BadReply if the arguments of a tool call are not a JSON object, unless the model ran out of tokens.
 */
export const encodeReply = (reply: ChatReply, options: ReplyOptions, losses: Losses): JsonObject => {
  const content: JsonObject[] = []
  for (const part of reply.parts) {
    const block = blockOf(part, reply.finish, losses)
    if (block) content.push(block)
  }
  const tier = serviceTier(reply.serviceTier)
  if (tier === undefined && reply.serviceTier !== undefined) losses.drop('service_tier')
  const refused = reply.finish === 'stop' && reply.parts.some(({ type }) => type === 'refusal')
  return {
    id: reply.id === '' ? messageId() : reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model === '' ? options.model : reply.model,
    content,
    stop_reason: stopReason(
      refused ? 'refusal' : reply.finish,
      reply.parts.some(({ type }) => type === 'toolCall'),
    ),
    stop_sequence: (reply.finish === 'stopSequence' ? reply.stopSequence : undefined) ?? null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: usageFields(reply.usage, tier),
  }
}

const blockOf = (part: Part, finish: Finish, losses: Losses): JsonObject | undefined => {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? undefined : { type: 'text', text: part.text }
    case 'thinking':
      // Thinking of other providers has no signature, but clients require the field.
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' }
    case 'hiddenThinking':
      return { type: 'redacted_thinking', data: part.data }
    case 'toolCall':
      return toolUseOf(part, finish, losses)
    case 'image':
    case 'audio':
    case 'file':
    case 'toolResult':
      losses.drop(`content.${part.type}`)
      return undefined
  }
}

const toolUseOf = (part: ToolCallPart, finish: Finish, losses: Losses): JsonObject => {
  const input = argumentsIn(part.arguments)
  if (!input) {
    if (finish !== 'length') throw new BadReply('the arguments of a tool call are no JSON object')
    // Truncated: the call must not be made, and this format cannot express partial arguments.
    losses.drop('content.toolCall.arguments')
  }
  if (part.signature !== undefined) losses.drop('content.toolCall.signature')
  return { type: 'tool_use', id: part.id, name: part.name, input: input ?? {} }
}
