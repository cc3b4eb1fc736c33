import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { Reason } from '../../../../model/exchange/fault.ts'
import type { GuardRejection } from '../schema/normal-form.ts'
import type { Reply } from '../../../../model/exchange/reply.ts'
import type { LlmError } from '../../../../protocols/llm/errors/error.ts'
import type { GuardCheck, Checking, Guard, OnGuardEnd } from '../guard.ts'

/** The context of the checks of a stream. */
export interface ChecksOptions {
  readonly x: Exchange
  readonly reply: Reply | undefined
  readonly onGuardEnd: OnGuardEnd
  /** Called once, with the error that the client gets in place of the rest. */
  readonly block: (error: LlmError, blame: BlockCause) => void
}

/** Why a stream is blocked, for logs and metrics: the same codes as for a complete response. */
export interface BlockCause {
  readonly reason: Reason
  readonly code: string
  /** What failed; absent if a guard decided. */
  readonly error?: string
}

/** The duration and the reason of a check. */
export type CheckEnd = Pick<GuardCheck, 'tookMs' | 'reason'>

/** The state that the guards of one stream share: recording, and cancellation of all checks at once. */
export class Checks {
  readonly #options: ChecksOptions
  /** Created with the first callout: most guards need none. */
  #abort: AbortController | undefined = undefined
  #isOver = false

  constructor(options: ChecksOptions) {
    this.#options = options
  }

  get x(): Exchange {
    return this.#options.x
  }

  /** No more checks. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Cancels the checks. */
  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abort?.abort()
  }

  about(kept: unknown): Checking {
    this.#abort ??= new AbortController()
    return { phase: 'response', kept, reply: this.#options.reply, signal: this.#abort.signal }
  }

  recordResult({ name }: Guard, action: GuardCheck['action'], end: CheckEnd): void {
    this.#options.onGuardEnd(this.x, { guard: name, phase: 'response', action, ...end })
  }

  reject(guard: Guard, { status, body }: GuardRejection, end: CheckEnd): void {
    this.recordResult(guard, 'Reject', end)
    this.block({ ...intervention, status, message: body }, byVerdict)
  }

  /** Blocks because a mask comes too late: the client already has the text. */
  rejectLate(guard: Guard, end: CheckEnd): void {
    this.recordResult(guard, 'Reject', end)
    this.block(undecided, byVerdict)
  }

  /** Handles a guard without a verdict. True if it fails open; otherwise the stream is blocked. */
  opens(guard: Guard, problem: unknown, tookMs: number): boolean {
    const reason = problem instanceof Error ? problem.message : 'failed'
    this.recordResult(guard, guard.opensOnFailure ? 'FailOpen' : 'FailClosed', { tookMs, reason })
    if (!guard.opensOnFailure) this.block(undecided, byFailure)
    return guard.opensOnFailure
  }

  /** Blocks the stream because of an internal error. */
  breakOff(): void {
    this.block(undecided, byFailure)
  }

  block(error: LlmError, blame: BlockCause): void {
    if (this.#isOver) return
    this.stop()
    this.#options.block(error, blame)
  }
}

const byVerdict: BlockCause = { reason: 'Guardrail', code: 'guardrail_rejected' }

const byFailure: BlockCause = {
  reason: 'Guardrail',
  code: 'guardrail_failed',
  error: 'failed to process LLM response: prompt guard failed',
}

const intervention = { type: 'guardrail_blocked', code: 'guardrail_intervention' } as const

const undecided: LlmError = { ...intervention, status: 503, message: 'Content blocked by guardrail policy' }
