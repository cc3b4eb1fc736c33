import { Fault } from '../../../model/exchange/fault.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { decoderFor } from '../request/content-encoding.ts'
import { replyFailed } from '../refusals.ts'

/**
 * The whole body of a response, without its content encoding; or the reply if it cannot be read. The time it takes
 * counts as the provider's, not the gateway's.
 */
export const readReply = async (x: Exchange, reply: Reply, limitBytes: number): Promise<Buffer | Reply> => {
  const written = reply.headers.get('content-encoding')
  const decode = written === undefined ? undefined : decoderFor(written)
  if (written !== undefined && !decode) {
    reply.body.drop()
    return replyFailed('unsupported_encoding', 'unsupported content encoding of the response')
  }
  try {
    const bytes = await reply.body.read(limitBytes)
    x.upstream.respondedAt = performance.now()
    return decode ? await decode(bytes, { maxOutputLength: limitBytes }) : bytes
  } catch (problem) {
    if (isTooLong(problem))
      return replyFailed('reply_too_large', `response was too large: more than ${String(limitBytes)} bytes`)
    if (problem instanceof Fault) throw problem
    return replyFailed('invalid_reply', 'failed to decode response')
  }
}

const isTooLong = (problem: unknown): boolean =>
  problem instanceof Fault
    ? problem.code === 'body_too_large'
    : problem instanceof Error && 'code' in problem && problem.code === 'ERR_BUFFER_TOO_LARGE'
