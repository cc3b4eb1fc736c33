import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import type { ReceivedEvent, Cell } from './goldens.ts'

/** The request of all clients in these tests. */
export const clientRequest = { model: 'chat-model', includeUsage: true }

/** The events of a stream, and its end. */
export const decoded = (format: ChatFormat, arrivals: Iterable<ReceivedEvent>): readonly ChatEvent[] => {
  const events: ChatEvent[] = []
  const tell = (event: ChatEvent): void => void events.push(event)
  const decoder = codecs[format].decodeStream()
  for (const { name, data } of arrivals) decoder.push(name, data, tell)
  decoder.end(tell)
  return events
}

/** The client's view of it. */
export const encoded = (format: ChatFormat, events: readonly ChatEvent[]): string => {
  const encoder = codecs[format].encodeStream(clientRequest)
  return events.map((event) => encoder.encode(event)).join('')
}

/** A provider's stream as the client of a cell gets it. */
export const translated = ({ client, provider }: Cell, arrivals: Iterable<ReceivedEvent>): string =>
  encoded(client, decoded(provider, arrivals))
