import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'

/** The header with the fields that a translation dropped. */
const NAME = 'x-gateway-dropped'

/**
 * Sets the header `x-gateway-dropped` with the fields that a translation dropped: those of the request, and those of
 * a complete response. Fields dropped later from a stream are in the metrics only.
 */
export const setDroppedHeader = (x: Exchange, made: Reply | Promise<Reply>): Reply | Promise<Reply> =>
  made instanceof Promise ? made.then((reply) => withHeader(x, reply)) : withHeader(x, made)

const withHeader = ({ protocol }: Exchange, reply: Reply): Reply => {
  const { llm } = protocol
  if (llm?.dropped.length) reply.headers.set(NAME, llm.dropped.join(', '))
  return reply
}
