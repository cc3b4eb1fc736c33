import type { ChatEvent } from '../../protocols/llm/chat/events.ts'
import type { ChatReply } from '../../protocols/llm/chat/reply.ts'
import { replyEvents } from '../../protocols/llm/chat/reply-events.ts'
import { mockTokens } from './mock-tokens.ts'

/** The stream of a reply, one token at a time. */
export function* tokenEvents(reply: ChatReply): Generator<ChatEvent> {
  for (const event of replyEvents(reply)) {
    if (event.type === 'start') yield { ...event, usage: promptOnly(reply.usage) }
    else if (event.type === 'delta')
      for (const text of mockTokens(event.text)) yield { type: 'delta', block: event.block, text }
    else yield event
  }
}

/** Some formats report the usage of the prompt first. */
const promptOnly = (usage: ChatReply['usage']): ChatReply['usage'] =>
  usage && { ...usage, outputTokens: undefined, totalTokens: undefined, reasoningTokens: undefined }
