import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'

/** The header that names what got lost on the way. */
const NAME = 'x-gateway-dropped'

/**
 * Says in the header `x-gateway-dropped` which fields a translation had to leave out: those of the request, and those of
 * an answer that is there as a whole. What gets lost from a stream later on is in the metrics only.
 */
export const tellDropped = (x: Exchange, made: Reply | Promise<Reply>): Reply | Promise<Reply> =>
  made instanceof Promise ? made.then((reply) => told(x, reply)) : told(x, made)

const told = ({ llm }: Exchange, reply: Reply): Reply => {
  if (llm?.dropped.length) reply.headers.set(NAME, llm.dropped.join(', '))
  return reply
}
