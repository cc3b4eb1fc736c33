import type { ChatEvent } from '../../protocols/llm/chat/events.ts'
import type { Part } from '../../protocols/llm/chat/parts.ts'
import type { ChatReply } from '../../protocols/llm/chat/reply.ts'
import { mockTokens } from './mock-tokens.ts'

/** An answer as it would happen in a stream, a token at a time. */
export function* replyEvents({
  id,
  model,
  createdAtS,
  parts,
  usage,
  ...reply
}: ChatReply): Generator<ChatEvent> {
  // Some formats want to say at once what the prompt has cost.
  const prompt = usage && {
    ...usage,
    outputTokens: undefined,
    totalTokens: undefined,
    reasoningTokens: undefined,
  }
  yield { type: 'start', id, model, createdAtS, usage: prompt }
  let block = 0
  for (const part of parts) yield* blockEvents(part, block++)
  if (usage) yield { type: 'usage', usage }
  yield { type: 'finish', finish: reply.finish, stopSequence: reply.stopSequence }
  yield { type: 'end' }
}

function* blockEvents(part: Part, block: number): Generator<ChatEvent> {
  switch (part.type) {
    case 'text':
    case 'refusal':
      yield { type: 'open', block, part: { type: part.type } }
      yield* deltas(part.text, block)
      break
    case 'thinking':
      yield { type: 'open', block, part: { type: 'thinking' } }
      yield* deltas(part.text, block)
      if (part.signature !== undefined) yield { type: 'signature', block, signature: part.signature }
      break
    case 'toolCall':
      yield { type: 'open', block, part: { type: 'toolCall', id: part.id, name: part.name } }
      yield* deltas(part.arguments, block)
      break
    default:
      // The mock says nothing else.
      return
  }
  yield { type: 'close', block }
}

function* deltas(text: string, block: number): Generator<ChatEvent> {
  for (const token of mockTokens(text)) yield { type: 'delta', block, text: token }
}
