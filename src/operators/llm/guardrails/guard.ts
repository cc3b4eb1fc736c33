import type { Exchange } from '../../model/exchange.ts'
import type { GuardRejection, TextScope } from '../../model/llm-guards.ts'
import type { Reply } from '../../model/reply.ts'

/** A text as a guard sees it. */
export interface GuardedText {
  readonly role: string
  readonly scope: TextScope
  readonly text: string
}

/** What is looked at: what a client asks, or what a model answers. */
export type GuardPhase = 'request' | 'response'

/** What a guard decides. `undefined` lets everything pass. */
export type GuardVerdict = undefined | Mask | Reject

/** Other texts in place of those that were shown: as many, in their order. */
export interface Mask {
  readonly action: 'mask'
  readonly texts: readonly string[]
  /** For the log. */
  readonly reason?: string | undefined
}

/** Nothing of it goes on. */
export interface Reject {
  readonly action: 'reject'
  readonly rejection: GuardRejection
  /** For the log. */
  readonly reason?: string | undefined
}

/** What a check is about, besides the texts. */
export interface Checking {
  readonly phase: GuardPhase
  /** What `keep` gave. */
  readonly kept: unknown
  /** The provider's answer, once there is one. */
  readonly reply?: Reply | undefined
  /** Aborts when nobody waits for the verdict any more. */
  readonly signal: AbortSignal
}

/** One guard at work. Knows no formats: it is shown texts. */
export interface Guard {
  /** As the trace and the metrics call it: `regex`, `webhook` … */
  readonly name: string
  /** Texts of other scopes are not shown to it. */
  readonly scopes: ReadonlySet<TextScope>
  /** What fails lets everything pass. */
  readonly opensOnFailure: boolean
  /** What has to be known of the client's request when its answer is there. Called before the request is changed. */
  readonly keep?: ((x: Exchange) => unknown) | undefined
  /**
   * @param texts At least one.
   * @throws GuardFailure (also by rejecting) if there is no verdict.
   */
  check(x: Exchange, texts: readonly GuardedText[], about: Checking): GuardVerdict | Promise<GuardVerdict>
  /** Looks at a text piece by piece, where that can be done without asking anybody: one for each text of a stream. */
  readonly follow?: (() => TextFollower) | undefined
}

/**
 * Follows one text of a stream. Holds pieces back for as long as what follows may change what becomes of them, and gives
 * each back once, in order, so that as many come out as went in.
 */
export interface TextFollower {
  /** @returns What the oldest of the pieces that are held have become; or that the text is rejected. */
  push(piece: string): readonly string[] | 'reject'
  /** Nothing follows. */
  end(): readonly string[] | 'reject'
  /** A text that is said as a whole, looked at by itself. */
  whole(text: string): readonly [string] | 'reject'
  /** What a rejection gives the client. */
  readonly rejection: GuardRejection
}

/** A guard has no verdict: the service is away, or what it says makes no sense. `message` is for the log. */
export class GuardFailure extends Error {}
