import type { BlockStart, ChatEvent } from './events.ts'
import type { Part } from './parts.ts'
import type { ChatReply } from './reply.ts'

/**
 * A whole reply as an equivalent stream, for clients that requested one.
 *
 * @example
 * const reply: ChatReply = { id: 'a', model: 'm', parts: [{ type: 'text', text: 'hi' }], finish: 'stop' }
 * replyEvents(reply).map(({ type }) => type) // ['start', 'open', 'delta', 'close', 'finish', 'end']
 */
export const replyEvents = (reply: ChatReply): readonly ChatEvent[] => {
  const { id, model, createdAtS, serviceTier, usage, finish, stopSequence } = reply
  const events: ChatEvent[] = [{ type: 'start', id, model, createdAtS, serviceTier }]
  let block = 0
  for (const part of reply.parts) {
    const start = startOf(part)
    if (!start) continue
    events.push({ type: 'open', block, part: start })
    const text = part.type === 'toolCall' ? part.arguments : 'text' in part ? part.text : ''
    if (text !== '') events.push({ type: 'delta', block, text })
    if ('signature' in part && part.signature !== undefined)
      events.push({ type: 'signature', block, signature: part.signature })
    events.push({ type: 'close', block })
    block++
  }
  if (usage) events.push({ type: 'usage', usage })
  events.push({ type: 'finish', finish, stopSequence }, { type: 'end' })
  return events
}

/** Undefined for parts that models do not generate. */
const startOf = (part: Part): BlockStart | undefined => {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
      return { type: part.type }
    case 'hiddenThinking':
      return { type: 'hiddenThinking', data: part.data }
    case 'toolCall':
      return { type: 'toolCall', id: part.id, name: part.name }
    default:
      return undefined
  }
}
