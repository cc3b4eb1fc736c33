import { BufferBody } from '../../../model/body.ts'
import type { Reply } from '../../../model/reply.ts'

/** Puts bytes in the place of an answer's body; they have no content encoding. */
export const writeBytes = (reply: Reply, bytes: Buffer): Reply => {
  reply.body = new BufferBody(bytes)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-length', String(bytes.length))
  return reply
}

/** Puts JSON in the place of an answer's body. */
export const writeJson = (reply: Reply, value: object): Reply => {
  reply.headers.set('content-type', 'application/json')
  return writeBytes(reply, Buffer.from(JSON.stringify(value)))
}

/** Says in the head of an answer that its body is a stream of events. */
export const announceEvents = ({ headers }: Reply): void => {
  headers.set('content-type', 'text/event-stream')
  headers.set('cache-control', 'no-cache')
  headers.delete('content-length')
}
