import type { Body } from '../../../model/body.ts'
import type { LlmOutcome } from '../../../model/llm-usage-record.ts'
import type { Reply } from '../../../model/reply.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'

/** Is told how the stream of an answer goes on. */
export interface StreamWatch {
  /** The first of it that a reader would see has come. */
  began(): void
  /**
   * It is over, one way or the other. What is said after the first time does not count.
   *
   * @param problem What went wrong, where something did.
   */
  ended(facts: ReplyFacts, outcome: LlmOutcome, problem?: string): void
}

/** Tells that nothing came of an answer; the client gets `reply` in its place. */
export const endFailed = (watch: StreamWatch, reply: Reply): Reply => {
  watch.ended({}, 'failed', reply.error)
  return reply
}

/** Knows whether it was told the end. */
export interface AttemptWatch extends StreamWatch {
  /** Calls back once the end has been told: at once if it has been. */
  afterEnd(run: () => void): void
}

/** A body that tells somebody what it says. */
export interface WatchedBody extends Body {
  /** It tells its reader by itself if it breaks off, so that the connection need not be cut. */
  readonly tellsFailure: boolean
  /** Nobody reads any more, and nothing follows: what is known by now is told. */
  abandon(): void
}

/** Whether a body tells somebody what it says. */
export const isWatched = (body: Body): body is WatchedBody => 'abandon' in body
