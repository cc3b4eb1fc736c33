import { existsSync, readFileSync } from 'node:fs'
import { AwsEventDecoder } from '../../../../src/protocols/aws-event-stream/decoder.ts'
import { encodeEvent } from '../../../../src/protocols/aws-event-stream/event.ts'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type { ChatFormat } from '../../../../src/protocols/llm/format.ts'
import { translations } from '../../../../src/protocols/llm/translations.ts'
import { EventParser } from '../../../../src/protocols/sse/event-parser.ts'

/** A client's format, served by a provider's. */
export interface Cell {
  readonly client: Exclude<ChatFormat, 'converse'>
  readonly provider: ChatFormat
  /** The folder with its goldens. */
  readonly name: string
}

const chatFormats = ['completions', 'messages', 'responses', 'generateContent', 'converse'] as const

/** Every pair of formats in the table that needs a translation. */
export const cells: readonly Cell[] = chatFormats.flatMap((client) =>
  translations[client].flat().flatMap((format) => {
    const provider = chatFormats.find((chat) => chat === format)
    if (!provider || provider === client || client === 'converse') return []
    return [{ client, provider, name: `${client}-to-${provider}` }]
  }),
)

const folder = new URL('golden/', import.meta.url)

export const hasGolden = (path: string): boolean => existsSync(new URL(path, folder))

export const goldenText = (path: string): string => readFileSync(new URL(path, folder), 'utf8')

export const goldenJson = (path: string): JsonObject => JSON.parse(goldenText(path)) as JsonObject

/** The golden stream of a provider of a format, as bytes. */
export const providerBytes = (format: ChatFormat): Buffer => {
  if (format !== 'converse') return Buffer.from(goldenText(`formats/${format}/stream.sse`))
  const lines = goldenText('formats/converse/stream.jsonl').trim().split('\n')
  return Buffer.concat(
    lines.map((line) => {
      const [[name, payload] = ['', {}]] = Object.entries(JSON.parse(line) as JsonObject)
      return encodeEvent(name, JSON.stringify(payload))
    }),
  )
}

/** One event of a provider's stream, as a decoder reads it. */
export interface ReceivedEvent {
  readonly name: string | undefined
  readonly data: string
}

/** The events of a stream, in pieces of any size. */
export const receivedEvents = (
  format: ChatFormat,
  chunks: Iterable<Uint8Array>,
): readonly ReceivedEvent[] => {
  const arrivals: ReceivedEvent[] = []
  const stop = (): never => {
    throw new Error('the stream cannot be read')
  }
  const reader =
    format === 'converse'
      ? new AwsEventDecoder(LIMIT_BYTES, {
          event: (name, data) => arrivals.push({ name, data }),
          broken: stop,
        })
      : new EventParser(
          { event: ({ event, data }) => arrivals.push({ name: event, data }), overflow: stop },
          LIMIT_BYTES,
        )
  for (const chunk of chunks) reader.push(chunk)
  return arrivals
}

const LIMIT_BYTES = 1_000_000
