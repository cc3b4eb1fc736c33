import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { GuardRejection, GuardStreaming, TextScope } from './schema/normal-form.ts'

/** The guards of a model, compiled. */
export interface Guards {
  readonly request: readonly Guard[]
  readonly response: readonly Guard[]
  readonly streaming: GuardStreaming
  /** Called after each check. */
  readonly onGuardEnd: OnGuardEnd
}

/** Called with the result of a check: counts it, logs failures, and records it in the trace. */
export type OnGuardEnd = (x: Exchange, checked: GuardCheck) => void

/** The result of a check. */
export interface GuardCheck {
  readonly guard: string
  readonly phase: GuardPhase
  readonly action: 'Allow' | 'Mask' | 'Reject' | 'FailOpen' | 'FailClosed'
  readonly tookMs: number
  /** Why, as the guard describes it, or what failed; never a part of the checked texts. */
  readonly reason?: string | undefined
}

/** A text as a guard sees it. */
export interface GuardedText {
  readonly role: string
  readonly scope: TextScope
  readonly text: string
}

/** Which texts are checked: those of the client's request, or those of the model's response. */
export type GuardPhase = 'request' | 'response'

/** What a guard decides. `undefined` allows everything. */
export type GuardVerdict = undefined | Mask | Reject

/** Replacements for the checked texts: the same number, in the same order. */
export interface Mask {
  readonly action: 'mask'
  readonly texts: readonly string[]
  /** For the log. */
  readonly reason?: string | undefined
}

/** Rejects all of it. */
export interface Reject {
  readonly action: 'reject'
  readonly rejection: GuardRejection
  /** For the log. */
  readonly reason?: string | undefined
}

/** What a check gets besides the texts. */
export interface Checking {
  readonly phase: GuardPhase
  /** The result of `keep`. */
  readonly kept: unknown
  /** The provider's response, once there is one. */
  readonly reply?: Reply | undefined
  /** Aborts when the verdict is no longer needed. */
  readonly signal: AbortSignal
}

/** One guard. It is independent of formats: it gets texts only. */
export interface Guard {
  /** Its name in the trace and the metrics: `regex`, `webhook` … */
  readonly name: string
  /** The guard does not get texts of other scopes. */
  readonly scopes: ReadonlySet<TextScope>
  /** If a check fails, everything is allowed. */
  readonly opensOnFailure: boolean
  /** Saves what a check of the response needs of the client's request. Called before the request is changed. */
  readonly keep?: ((x: Exchange) => unknown) | undefined
  /**
   * @param texts At least one.
   * @throws GuardFailure (also as a rejected promise) if there is no verdict.
   */
  check(x: Exchange, texts: readonly GuardedText[], about: Checking): GuardVerdict | Promise<GuardVerdict>
  /** Checks a text incrementally, for guards that need no callout. Called once for each text of a stream. */
  readonly follow?: (() => TextFollower) | undefined
}

/**
 * Checks one text of a stream incrementally. A piece is buffered for as long as the text after it may still change
 * the result. Each piece is returned once, in order: as many come out as go in.
 */
export interface TextFollower {
  /** @returns The checked form of the oldest buffered pieces, or that the text is rejected. */
  push(piece: string): readonly string[] | 'reject'
  /** The text is complete. */
  end(): readonly string[] | 'reject'
  /** Checks a complete text by itself. */
  whole(text: string): readonly [string] | 'reject'
  /** The reply to the client if the text is rejected. */
  readonly rejection: GuardRejection
}

/** A guard has no verdict: its service is unavailable, or the response makes no sense. `message` is for the log. */
export class GuardFailure extends Error {}
