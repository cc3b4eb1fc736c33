import type { Exchange } from './exchange.ts'
import type { Reply } from './reply.ts'

/**
 * Formats local replies in the client's protocol. A stage that parsed the request sets it; the sink applies it last, so
 * that the stages in between see errors unformatted.
 *
 * An object and not a function, for the same reason as `Interim`.
 */
export interface LocalReplyFormat {
  /** Returns the same error in the client's protocol. It may change the reply, or return another one. */
  format(reply: Reply, x: Exchange): Reply
}
