import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Operator } from '../../../pipeline/stage.ts'
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
  /** What has to be done first, where the request is not the provider's yet. */
  first?: First | undefined
  /** Makes the client's answer of it. */
  readonly adapt: (reply: Reply, watch: StreamWatch) => Reply | Promise<Reply>
  /** Of a stream: waits for its beginning, and says what is wrong if that is an error. */
  begin?: ((reply: Reply) => Promise<string | undefined>) | undefined
  /**
   * How long it may take from the beginning of the attempt until the answer has begun, whether or not there is somebody
   * else to ask then; undefined: for ever.
   */
  beginWithinMs?: number | undefined
}

/** The stage that asks guards, and then puts the provider's request in place of the client's. */
export interface First {
  /** @param sent Called when the request is the provider's, and about to be sent. */
  stage(sent: () => void): Operator
  /** Why the request did not get that far, if it did not. */
  readonly refusal: Refusal | undefined
}

/** What the client gets in place of an answer. */
export interface Refusal {
  readonly reply: Reply
  /** Nobody else is to be asked. */
  readonly isFinal: boolean
}

/** `performance.now()` when an attempt began, or when its provider was asked once guards had been. */
export interface AttemptTimes {
  startedAt: number
}
