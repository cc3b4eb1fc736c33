import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { Reply } from '../../../../model/exchange/reply.ts'
import type { LlmError } from '../../../../protocols/llm/errors/error.ts'
import type { StreamTexts } from '../../../../protocols/llm/texts/text-slot.ts'
import type { OnGuardEnd } from '../guard.ts'
import type { GuardChainOptions } from './guard-chain.ts'

/** The guards of a stream, and its context. */
export interface GuardedStreamOptions extends GuardChainOptions {
  readonly x: Exchange
  /** Extracts the texts from events of the client's format. */
  readonly texts: StreamTexts
  readonly reply: Reply | undefined
  readonly onGuardEnd: OnGuardEnd
  /** Limit of the pending events together, and of one event. Beyond it the stream is blocked. */
  readonly limitBytes: number
  /** An error as whole events of the client's format. */
  readonly encodeError: (error: LlmError) => string
  /** Called with the events sent to the client, whole ones, for formats whose error event must continue them. */
  readonly shown?: ((events: Buffer) => void) | undefined
  /** Called once, before the end is sent to the client, or when the client has disconnected. */
  readonly over?: (() => void) | undefined
}
