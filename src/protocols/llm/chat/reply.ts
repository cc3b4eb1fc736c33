import type { Usage } from '../usage.ts'
import type { Part } from './parts.ts'

/** The model's turn, whole. */
export interface ChatReply {
  /** As the provider calls it; empty if it does not. */
  readonly id: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly createdAtS?: number | undefined
  /** In the order in which they were said: text, refusal, thinking, tool calls. */
  readonly parts: readonly Part[]
  readonly finish: Finish
  /** Which of the texts that were to stop it did. */
  readonly stopSequence?: string | undefined
  readonly usage?: Usage | undefined
  readonly serviceTier?: string | undefined
}

/**
 * Why the model stopped: it was done, came to a stop sequence, ran out of tokens, waits for tools, was not allowed to go
 * on, refused, or wants to be called again with the turn so far.
 */
export type Finish = 'stop' | 'stopSequence' | 'length' | 'toolCalls' | 'contentFilter' | 'refusal' | 'pause'
