import type { Reply } from '../../../model/exchange/reply.ts'
import { decodeBody } from '../request/decoded-body.ts'
import { AWS_STREAM_TYPE } from './event-readers.ts'

/** How events are encoded: as text, or in AWS frames. */
export type StreamEncoding = 'sse' | 'aws'

/**
 * Decodes the content encoding of a stream of events; undefined if the response is not a stream. A stream in an
 * unknown content encoding stays as it is.
 */
export const openStream = (reply: Reply): StreamEncoding | 'unreadable' | undefined => {
  const { headers } = reply
  const type = (headers.get('content-type') ?? '').toLowerCase()
  const form = type.startsWith('text/event-stream')
    ? 'sse'
    : type.startsWith(AWS_STREAM_TYPE)
      ? 'aws'
      : undefined
  const encoding = headers.get('content-encoding')
  if (!form || encoding === undefined) return form
  const decoded = decodeBody(reply.body, encoding)
  if (!decoded) return 'unreadable'
  reply.body = decoded
  headers.delete('content-encoding')
  headers.delete('content-length')
  return form
}
