import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { isErrorOf } from '../../../protocols/llm/errors/recognize-error.ts'
import type { Prepared } from '../provider-request/chat-request.ts'
import { readReply } from './read-reply.ts'
import type { StreamObserver } from './stream-observer.ts'
import { writeBytes, writeJsonReply } from './write-reply.ts'

/** Errors are short. */
const ERROR_LIMIT_BYTES = 1024 * 1024

/**
 * Converts a provider's error for the client. The status stays, and so do the headers about when to retry. An error
 * that is in the client's format already stays byte for byte.
 */
export const adaptError = async (
  x: Exchange,
  reply: Reply,
  { client, upstream }: Pick<Prepared, 'client' | 'upstream'>,
  watch: StreamObserver,
): Promise<Reply> => {
  const bytes = await read(x, reply)
  const body = bytes && readJson(bytes.toString())
  const error = codecs[upstream].decodeError(reply.status, body)
  watch.ended({}, 'refused', error.message)
  const { headers } = reply
  // A redirect is not a response of a model, and it is not followed.
  if (reply.status < 400) {
    reply.status = 502
    headers.delete('location')
  } else if (bytes && client === upstream && isErrorOf(client, body)) {
    if (!headers.get('content-type')?.includes('json')) headers.set('content-type', 'application/json')
    return writeBytes(reply, bytes)
  }
  return writeJsonReply(reply, codecs[client].encodeError({ ...error, status: reply.status }))
}

/** Without a readable body, the status alone is used. */
const read = async (x: Exchange, reply: Reply): Promise<Buffer | undefined> => {
  try {
    const bytes = await readReply(x, reply, ERROR_LIMIT_BYTES)
    return Buffer.isBuffer(bytes) ? bytes : undefined
  } catch (problem) {
    if (problem instanceof Fault) return undefined
    throw problem
  }
}
