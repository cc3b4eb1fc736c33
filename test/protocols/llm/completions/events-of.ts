import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { EventParser } from '../../../../src/protocols/sse/event-parser.ts'

/** The events of a stream of this format in these pieces; without members that are undefined. */
export const eventsOf = (pieces: Iterable<string | Uint8Array>): ChatEvent[] => {
  const events: ChatEvent[] = []
  const tell = (event: ChatEvent) => events.push(event)
  const decoder = completions.decodeStream()
  const parser = new EventParser(
    {
      event: ({ event, data }) => {
        decoder.push(event, data, tell)
      },
      overflow: () => {
        throw new Error('an event is too long')
      },
    },
    1024 * 1024,
  )
  for (const piece of pieces) parser.push(Buffer.from(piece))
  parser.end()
  decoder.end(tell)
  return JSON.parse(JSON.stringify(events)) as ChatEvent[]
}

/** The same of chunks that are given as objects; texts are unchanged. */
export const eventsOfChunks = (...chunks: readonly unknown[]): ChatEvent[] =>
  eventsOf(chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`))
