import type { JsonObject } from '../../json/json-object.ts'
import type { Asked } from '../chat/codec.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../losses.ts'
import { incompleteReason } from './finish.ts'
import type { Spoken } from './output-items.ts'
import { idPrefix, outputItem } from './output-items.ts'
import type { ResponseFacts } from './response-object.ts'
import { itemId, nowS, responseId, responseObject } from './response-object.ts'
import { encodeUsage } from './usage.ts'

/** Writes a whole answer (`Response` of the SDK): each part an item of its own, as in a stream. */
export const encodeReply = (reply: ChatReply, asked: Asked, losses: Losses): JsonObject => {
  const facts: ResponseFacts = {
    id: responseId(reply.id),
    model: reply.model === '' ? asked.model : reply.model,
    createdAtS: reply.createdAtS ?? nowS(),
    serviceTier: reply.serviceTier,
  }
  if (reply.stopSequence !== undefined) losses.drop('stop_sequence')
  const spoken: Spoken[] = []
  for (const part of reply.parts)
    if (part.type in idPrefix) spoken.push(part as Spoken)
    else losses.drop(part.type)
  const said = { toolCall: false, refusal: spoken.some(({ type }) => type === 'refusal') }
  const incomplete = incompleteReason(reply.finish, said)
  const output = spoken.map((part, i) => {
    if (part.type === 'toolCall' && part.signature !== undefined) losses.drop('tool_calls.signature')
    const isCut = incomplete !== undefined && i === spoken.length - 1
    return outputItem(part, itemId(idPrefix[part.type], facts, i), isCut ? 'incomplete' : 'completed')
  })
  return responseObject(facts, {
    status: incomplete === undefined ? 'completed' : 'incomplete',
    output,
    incomplete,
    usage: encodeUsage(reply.usage),
  })
}
