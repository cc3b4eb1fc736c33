import type { EventStreamCodec } from '@smithy/eventstream-codec'
import { createRequire } from 'node:module'
import { extname } from 'node:path'

/** A frame of `application/vnd.amazon.eventstream`. */
export interface EventStreamMessage {
  /** Only headers with string values; services use no others to identify a message. */
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer
}

/** Encodes a message: lengths, headers, payload, and both checksums. */
export const encodeEventMessage = ({ headers, payload }: EventStreamMessage): Buffer => {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }])
  const frame = codec().encode({
    headers: Object.fromEntries(typed) as Parameters<EventStreamCodec['encode']>[0]['headers'],
    body: payload,
  })
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
}

/**
 * Decodes one complete frame. The payload is a view of it.
 *
 * @throws Error if a length or a checksum is wrong.
 */
export const decodeMessage = (frame: Uint8Array): EventStreamMessage => {
  const { headers: typed, body } = codec().decode(frame)
  const headers: Record<string, string> = {}
  for (const [name, header] of Object.entries(typed))
    if (header.type === 'string') headers[name] = header.value
  return { headers, payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}

/** Loading the codec takes 40 ms, so that it is loaded on first use. */
const codec = (): EventStreamCodec => {
  if (loaded) return loaded
  const library = createRequire(import.meta.url)(
    `./event-stream-library${written}`,
  ) as typeof import('./event-stream-library.ts')
  loaded = new library.EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  )
  return loaded
}

let loaded: EventStreamCodec | undefined
const written = extname(import.meta.url)
