import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { ChatReply } from '../chat/reply.ts'
import { argumentsIn } from '../chat/arguments.ts'
import type { Losses } from '../dropped-fields.ts'
import { stopReasonOf } from './stop-reason.ts'
import { tokenUsage } from './usage.ts'

/** Writes `ConverseResponse`. */
export const encodeReply = (reply: ChatReply, _options: ReplyOptions, losses: Losses): JsonObject => {
  let hasMalformedCall = false
  const content: JsonObject[] = []
  for (const part of reply.parts)
    if (part.type === 'text' || part.type === 'refusal') content.push({ text: part.text })
    else if (part.type === 'thinking') {
      const { text, signature } = part
      content.push({
        reasoningContent: { reasoningText: { text, ...(signature === undefined ? {} : { signature }) } },
      })
    } else if (part.type === 'hiddenThinking')
      content.push({ reasoningContent: { redactedContent: part.data } })
    else if (part.type === 'toolCall') {
      const input = argumentsIn(part.arguments)
      if (input) content.push({ toolUse: { toolUseId: part.id, name: part.name, input } })
      else hasMalformedCall = true
      if (part.signature !== undefined) losses.drop('signature')
    } else losses.drop(part.type)
  if (reply.id !== '') losses.drop('id')
  const { finish, usage, stopSequence, serviceTier } = reply
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: hasMalformedCall && finish !== 'length' ? 'malformed_tool_use' : stopReasonOf(finish),
    ...(usage ? { usage: tokenUsage(usage) } : {}),
    ...(serviceTier === undefined ? {} : { serviceTier: { type: serviceTier } }),
    ...(stopSequence === undefined ? {} : { additionalModelResponseFields: { stop_sequence: stopSequence } }),
  }
}
