import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Option } from './candidate.ts'
import type { AttemptWatch, StreamWatch } from './stream-watch.ts'

/** Makes the request for a provider, and later the client's answer of what it says. */
export interface Ask {
  /** Puts the provider's request in place of the client's; a refusal if it cannot be made. */
  prepare(x: Exchange, option: Option): Answering | Reply
  /** Told when all is over, with the option that answered. */
  settled(x: Exchange, option: Option, attempt: AttemptTimes): AttemptWatch
}

/** How a provider's answer is dealt with. */
export interface Answering {
  /** Makes the client's answer of it. */
  adapt(reply: Reply, watch: StreamWatch): Reply | Promise<Reply>
  /** Of a stream: waits for its beginning, and says what is wrong if that is an error. */
  begin?: ((reply: Reply) => Promise<string | undefined>) | undefined
  /**
   * How long it may take from the beginning of the attempt until the answer has begun, whether or not there is somebody
   * else to ask then; undefined: for ever.
   */
  beginWithinMs?: number | undefined
}

/** `performance.now()` at the beginning of an attempt. */
export interface AttemptTimes {
  readonly startedAt: number
}
