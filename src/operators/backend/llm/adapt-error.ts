import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { Prepared } from './prepare-chat.ts'
import { readReply } from './read-reply.ts'
import type { StreamWatch } from './stream-watch.ts'

/** Errors are short. */
const ERROR_LIMIT_BYTES = 1024 * 1024

/**
 * Makes of a provider's error the one that the client gets, with the same status and with whatever it says about when to
 * come again. One that is JSON in the client's format already stays as it is.
 */
export const adaptError = (
  x: Exchange,
  reply: Reply,
  { client, upstream }: Pick<Prepared, 'client' | 'upstream'>,
  watch: StreamWatch,
): Reply | Promise<Reply> => {
  const isJson = reply.headers.get('content-type')?.includes('json') ?? false
  if (client === upstream && isJson) {
    watch.ended({}, 'refused', `status ${String(reply.status)}`)
    return reply
  }
  return rewritten(x, reply, client, upstream, watch)
}

const rewritten = async (
  x: Exchange,
  reply: Reply,
  client: Prepared['client'],
  upstream: Prepared['upstream'],
  watch: StreamWatch,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, ERROR_LIMIT_BYTES)
  const error = codecs[upstream].decodeError(reply.status, Buffer.isBuffer(bytes) ? jsonOf(bytes) : undefined)
  watch.ended({}, 'refused', error.message)
  // A redirect is no answer of a model, and nobody here follows one.
  if (reply.status < 400) {
    reply.status = 502
    reply.headers.delete('location')
  }
  const said = Buffer.from(JSON.stringify(codecs[client].encodeError({ ...error, status: reply.status })))
  reply.body = new BufferBody(said)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-type', 'application/json')
  reply.headers.set('content-length', String(said.length))
  return reply
}

const jsonOf = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
