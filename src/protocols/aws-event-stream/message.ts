import type { EventStreamCodec } from '@smithy/eventstream-codec'
import { createRequire } from 'node:module'

/** A frame of `application/vnd.amazon.eventstream`. */
export interface EventStreamMessage {
  /** Only those with texts, which are all that services use to say what a message is. */
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer
}

/** The frame around a message: lengths, headers, payload, and the checksums of both. */
export const encodeMessage = ({ headers, payload }: EventStreamMessage): Buffer => {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }])
  const frame = codec().encode({
    headers: Object.fromEntries(typed) as Parameters<EventStreamCodec['encode']>[0]['headers'],
    body: payload,
  })
  return Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)
}

/**
 * Reads one whole frame. The payload is a view of it.
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

/** Loading it takes 40 ms, which only those who meet such a stream are to wait. */
const codec = (): EventStreamCodec => {
  if (loaded) return loaded
  const require = createRequire(import.meta.url)
  const library = require('@smithy/eventstream-codec') as typeof import('@smithy/eventstream-codec')
  loaded = new library.EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  )
  return loaded
}

let loaded: EventStreamCodec | undefined
