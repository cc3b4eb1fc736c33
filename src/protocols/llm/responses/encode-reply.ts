import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { incompleteReason } from './incomplete-reason.ts'
import { idPrefix, outputItem, type OutputPart } from './output-items.ts'
import { itemId, nowS, type ResponseObjectAttributes, responseId, responseObject } from './response-object.ts'
import { encodeUsage } from './usage.ts'

/** Encodes a whole reply (`Response` of the SDK). Each part is a separate item, as in a stream. */
export const encodeReply = (reply: ChatReply, options: ReplyOptions, losses: Losses): JsonObject => {
  const attributes: ResponseObjectAttributes = {
    id: responseId(reply.id),
    model: reply.model === '' ? options.model : reply.model,
    createdAtS: reply.createdAtS ?? nowS(),
    serviceTier: reply.serviceTier,
  }
  if (reply.stopSequence !== undefined) losses.drop('stop_sequence')
  const outputParts: OutputPart[] = []
  for (const part of reply.parts)
    if (part.type in idPrefix) outputParts.push(part as OutputPart)
    else losses.drop(part.type)
  const seen = { toolCall: false, refusal: outputParts.some(({ type }) => type === 'refusal') }
  const incomplete = incompleteReason(reply.finish, seen)
  const output = outputParts.map((part, i) => {
    if (part.type === 'toolCall' && part.signature !== undefined) losses.drop('tool_calls.signature')
    const isCut = incomplete !== undefined && i === outputParts.length - 1
    return outputItem(part, itemId(idPrefix[part.type], attributes, i), isCut ? 'incomplete' : 'completed')
  })
  return responseObject(attributes, {
    status: incomplete === undefined ? 'completed' : 'incomplete',
    output,
    incomplete,
    usage: encodeUsage(reply.usage),
  })
}
