import { readdirSync, readFileSync } from 'node:fs'
import { type JsonObject, jsonObjectIn } from '../../../../src/protocols/json/json-object.ts'
import type { ChatFormat, Format } from '../../../../src/protocols/llm/format.ts'
import { EventParser } from '../../../../src/protocols/sse/event-parser.ts'
import { replies } from '../responses/golden/replies.ts'
import { requests } from '../responses/golden/requests.ts'
import { streams } from '../responses/golden/streams.ts'
import { sse } from '../responses/golden/wire.ts'

/** A test body of a codec. */
export interface GoldenBody<F> {
  readonly format: F
  readonly name: string
  readonly body: JsonObject
}

/** Test events of a stream of a codec. */
export interface GoldenEvents {
  readonly format: ChatFormat
  readonly name: string
  readonly events: readonly GoldenEvent[]
}

export interface GoldenEvent {
  readonly name: string | undefined
  readonly text: string
  readonly data: JsonObject | undefined
}

const root = new URL('../', import.meta.url)

const bodiesIn = <F>(format: F, folder: string, prefix: string, member: string): GoldenBody<F>[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .map((name) => {
      const golden = JSON.parse(readFileSync(new URL(`${folder}/${name}`, root), 'utf8')) as JsonObject
      return { format, name, body: golden[member] as JsonObject }
    })

const bodiesOf = <F>(format: F, goldens: Readonly<Record<string, { readonly wire: unknown }>>) =>
  Object.entries(goldens).map(([name, { wire }]): GoldenBody<F> => ({
    format,
    name,
    body: wire as JsonObject,
  }))

export const goldenRequests: readonly GoldenBody<Format>[] = [
  ...bodiesIn<Format>('completions', 'completions/golden/requests', '', 'wire'),
  ...bodiesIn<Format>('messages', 'messages/golden/requests', '', 'wire'),
  ...bodiesOf<Format>('responses', requests),
  ...bodiesIn<Format>('generateContent', 'generate-content/golden', 'request-', 'wire'),
  ...bodiesIn<Format>('converse', 'converse/golden', 'request-', 'wire'),
  ...bodiesIn<Format>('embeddings', 'embeddings/golden', '', 'client'),
  ...bodiesIn<Format>('rerank', 'rerank/golden', '', 'client'),
]

export const goldenReplies: readonly GoldenBody<ChatFormat>[] = [
  ...bodiesIn<ChatFormat>('completions', 'completions/golden/replies', '', 'wire'),
  ...bodiesIn<ChatFormat>('messages', 'messages/golden/replies', '', 'wire'),
  ...bodiesOf<ChatFormat>('responses', replies),
  ...bodiesIn<ChatFormat>('generateContent', 'generate-content/golden', 'reply-', 'wire'),
  ...bodiesIn<ChatFormat>('converse', 'converse/golden', 'reply-', 'wire'),
]

const eventOf = (name: string | undefined, text: string): GoldenEvent => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  return { name, text, data: jsonObjectIn(value) }
}

const eventsIn = (text: string): GoldenEvent[] => {
  const events: GoldenEvent[] = []
  const sink = {
    event: ({ event, data }: { event: string | undefined; data: string }) =>
      events.push(eventOf(event, data)),
    overflow: () => {
      throw new Error('an event is too long')
    },
  }
  const parser = new EventParser(sink, 1024 * 1024)
  parser.push(Buffer.from(text))
  parser.end()
  return events
}

const streamsIn = (format: ChatFormat, folder: string): GoldenEvents[] =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.sse'))
    .map((name) => ({
      format,
      name,
      events: eventsIn(readFileSync(new URL(`${folder}/${name}`, root), 'utf8')),
    }))

export const goldenStreams: readonly GoldenEvents[] = [
  ...streamsIn('completions', 'completions/golden/streams'),
  ...streamsIn('messages', 'messages/golden/streams'),
  ...Object.entries(streams).map(([name, { wire }]): GoldenEvents => ({
    format: 'responses',
    name,
    events: eventsIn(sse(wire)),
  })),
  ...streamsIn('generateContent', 'generate-content/golden'),
  ...bodiesIn<ChatFormat>('converse', 'converse/golden', 'stream-', 'wire').map(
    ({ name, body }): GoldenEvents => ({
      format: 'converse',
      name,
      events: (body as unknown as [string, JsonObject][]).map(([event, payload]) =>
        eventOf(event, JSON.stringify(payload)),
      ),
    }),
  ),
]
