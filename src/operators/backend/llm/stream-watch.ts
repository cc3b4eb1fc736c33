import type { Body } from '../../../model/body.ts'
import type { ReplyFacts } from '../../../protocols/llm/chat/codec.ts'

/** Is told how the stream of an answer goes on. */
export interface StreamWatch {
  /** The first of it that a reader would see has come. */
  began(): void
  /**
   * It is over, one way or the other; said once.
   *
   * @param broken What went wrong, if it did not come to its own end.
   */
  ended(facts: ReplyFacts, broken?: string): void
}

/** A body that tells somebody what it says. */
export interface WatchedBody extends Body {
  /** Nobody reads any more, and nothing follows: what is known by now is told. */
  abandon(): void
}

/** Whether a body tells somebody what it says. */
export const isWatched = (body: Body): body is WatchedBody => 'abandon' in body
