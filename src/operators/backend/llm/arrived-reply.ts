import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Prepared } from './prepare-chat.ts'
import type { ReplyLimits } from './reply-limits.ts'
import type { StreamWatch } from './stream-watch.ts'

/** What a provider has answered in a conversation, and what it takes to make the client's answer of it. */
export interface ArrivedReply {
  readonly x: Exchange
  /** Changed in place. */
  readonly reply: Reply
  readonly prepared: Prepared
  readonly limits: ReplyLimits
  /** Is told what the answer said of itself, once it is over. */
  readonly watch: StreamWatch
}
