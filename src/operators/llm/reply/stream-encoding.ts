import type { Reply } from '../../../model/reply.ts'
import { decodeBody } from './decoded-body.ts'
import { AWS_STREAM } from './event-sources.ts'

/** How events are written: as text, or in the frames of AWS. */
export type StreamForm = 'sse' | 'aws'

/**
 * Makes the events of an answer readable, taking its content encoding off if there is one; undefined if it is no stream.
 * What nobody knows how to decode stays as it is.
 */
export const openStream = (reply: Reply): StreamForm | 'unreadable' | undefined => {
  const { headers } = reply
  const type = (headers.get('content-type') ?? '').toLowerCase()
  const form = type.startsWith('text/event-stream') ? 'sse' : type.startsWith(AWS_STREAM) ? 'aws' : undefined
  const encoding = headers.get('content-encoding')
  if (!form || encoding === undefined) return form
  const decoded = decodeBody(reply.body, encoding)
  if (!decoded) return 'unreadable'
  reply.body = decoded
  headers.delete('content-encoding')
  headers.delete('content-length')
  return form
}
