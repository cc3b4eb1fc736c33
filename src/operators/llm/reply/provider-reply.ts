import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { Prepared } from '../provider-request/chat-request.ts'
import type { StreamObserver } from './stream-observer.ts'

/** Limits of what is buffered of a response. */
export interface ReplyLimits {
  /** Of a whole response that must be translated. */
  readonly replyBytes: number
  /** Of one event. */
  readonly eventBytes: number
}

/** A provider's response to a chat, and what is needed to convert it for the client. */
export interface ProviderReply {
  readonly x: Exchange
  /** Changed in place. */
  readonly reply: Reply
  readonly prepared: Prepared
  readonly limits: ReplyLimits
  /** Gets the attributes of the response at its end. */
  readonly watch: StreamObserver
}
