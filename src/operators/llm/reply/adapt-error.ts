import type { Exchange } from '../../../model/exchange.ts'
import { Fault } from '../../../model/fault.ts'
import type { Reply } from '../../../model/reply.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { isErrorOf } from '../../../protocols/llm/own-error.ts'
import type { Prepared } from './prepare-chat.ts'
import { readReply } from './read-reply.ts'
import type { StreamWatch } from './stream-watch.ts'
import { writeBytes, writeJson } from './write-reply.ts'

/** Errors are short. */
const ERROR_LIMIT_BYTES = 1024 * 1024

/**
 * Makes of a provider's error the one that the client gets, with the same status and with whatever it says about when to
 * come again. One that is in the client's format already stays as it is, to the byte.
 */
export const adaptError = async (
  x: Exchange,
  reply: Reply,
  { client, upstream }: Pick<Prepared, 'client' | 'upstream'>,
  watch: StreamWatch,
): Promise<Reply> => {
  const bytes = await read(x, reply)
  const body = bytes && readJson(bytes.toString())
  const error = codecs[upstream].decodeError(reply.status, body)
  watch.ended({}, 'refused', error.message)
  const { headers } = reply
  // A redirect is no answer of a model, and nobody here follows one.
  if (reply.status < 400) {
    reply.status = 502
    headers.delete('location')
  } else if (bytes && client === upstream && isErrorOf(client, body)) {
    if (!headers.get('content-type')?.includes('json')) headers.set('content-type', 'application/json')
    return writeBytes(reply, bytes)
  }
  return writeJson(reply, codecs[client].encodeError({ ...error, status: reply.status }))
}

/** Of an error whose body cannot be had, the status is still there to be told. */
const read = async (x: Exchange, reply: Reply): Promise<Buffer | undefined> => {
  try {
    const bytes = await readReply(x, reply, ERROR_LIMIT_BYTES)
    return Buffer.isBuffer(bytes) ? bytes : undefined
  } catch (problem) {
    if (problem instanceof Fault) return undefined
    throw problem
  }
}
