import { BufferBody } from '../../../model/exchange/body.ts'
import type { Reply } from '../../../model/exchange/reply.ts'

/** Replaces the body of a reply with bytes that have no content encoding. */
export const writeBytes = (reply: Reply, bytes: Buffer): Reply => {
  reply.body = new BufferBody(bytes)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-length', String(bytes.length))
  return reply
}

/** Replaces the body of a reply with JSON. */
export const writeJsonReply = (reply: Reply, value: object): Reply => {
  reply.headers.set('content-type', 'application/json')
  return writeBytes(reply, Buffer.from(JSON.stringify(value)))
}

/** Sets the headers of a stream of events. */
export const announceEvents = ({ headers }: Reply): void => {
  headers.set('content-type', 'text/event-stream')
  headers.set('cache-control', 'no-cache')
  headers.delete('content-length')
}
