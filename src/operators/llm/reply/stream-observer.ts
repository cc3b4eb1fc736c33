import type { Body } from '../../../model/exchange/body.ts'
import type { LlmOutcome } from '../../../model/llm/usage-record.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'

/** Observes the stream of a response. */
export interface StreamObserver {
  /** The first visible content has been received. */
  began(): void
  /**
   * The stream is over, in one way or another. Only the first call counts.
   *
   * @param problem What failed, if something did.
   */
  ended(attributes: ReplyAttributes, outcome: LlmOutcome, problem?: string): void
}

/** Reports that a response failed; the client gets `reply` in its place. */
export const endFailed = (watch: StreamObserver, reply: Reply): Reply => {
  watch.ended({}, 'failed', reply.error)
  return reply
}

/** An observer that tracks the end. */
export interface AttemptObserver extends StreamObserver {
  /** Calls back after the end: at once if it has been reported. */
  afterEnd(run: () => void): void
}

/** A body that is observed. */
export interface ObservedBody extends Body {
  /** It reports a failure to its reader in the stream, so that the connection need not be closed. */
  readonly reportsFailure: boolean
  /** The client has disconnected, and nothing follows: reports what is known. */
  abandon(): void
}

/** Whether a body is observed. */
export const isObserved = (body: Body): body is ObservedBody => 'abandon' in body
