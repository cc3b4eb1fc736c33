import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { LlmError } from '../../protocols/llm/error.ts'
import type { StreamTexts } from '../../protocols/llm/texts/text-slot.ts'
import type { Settle } from '../guard/guards.ts'
import type { GuardChainOptions } from './guard-chain.ts'

/** What a stream is guarded with. */
export interface GuardedStreamOptions extends GuardChainOptions {
  readonly x: Exchange
  /** Finds the texts in the events of the client's format. */
  readonly texts: StreamTexts
  readonly reply: Reply | undefined
  readonly settle: Settle
  /** Of the events that wait together, and of one event. Beyond it the stream is blocked. */
  readonly limitBytes: number
  /** An error as whole events of the client's format. */
  readonly encodeError: (error: LlmError) => string
  /** Sees what the client gets, in whole events, for what an error has to lead on from. */
  readonly shown?: ((events: Buffer) => void) | undefined
  /** Called once, when the client is about to get its end, or has left. */
  readonly over?: (() => void) | undefined
}
