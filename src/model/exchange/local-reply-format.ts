import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'

/**
 * How the client of an exchange wants to be told of errors of the gateway's own. A stage that understands the request
 * sets it; the sink asks it last of all, so that stages in between see errors as they are.
 *
 * An object and not a function, for the reason that `InformationalSink` is one.
 */
export interface LocalReplyFormat {
  /** The same error in the client's protocol. It may change the reply, or give another one. */
  format(reply: Reply, x: Exchange): Reply
}
