import type { Usage } from '../usage.ts'
import type { Part } from './parts.ts'

/** A whole reply of a model. */
export interface ChatReply {
  /** The provider's id; empty if there is none. */
  readonly id: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly createdAtS?: number | undefined
  /** In the order of generation: text, refusal, thinking, tool calls. */
  readonly parts: readonly Part[]
  readonly finish: Finish
  /** The stop sequence that ended the generation. */
  readonly stopSequence?: string | undefined
  readonly usage?: Usage | undefined
  readonly serviceTier?: string | undefined
}

/**
 * Why the model stopped: end of turn, a stop sequence, out of tokens, tool calls, a content filter, a refusal, or a
 * pause, after which the request is to be repeated with the turn so far.
 */
export type Finish = 'stop' | 'stopSequence' | 'length' | 'toolCalls' | 'contentFilter' | 'refusal' | 'pause'
