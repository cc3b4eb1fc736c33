import type { Exchange } from '../../model/exchange.ts'
import type { Reason } from '../../model/fault.ts'
import type { GuardRejection } from '../../model/llm-guards.ts'
import type { Reply } from '../../model/reply.ts'
import type { LlmError } from '../../protocols/llm/error.ts'
import type { Checking, Guard } from '../guard/guard.ts'
import type { Checked, Settle } from '../guard/guards.ts'

/** What the checks of a stream are about. */
export interface ChecksOptions {
  readonly x: Exchange
  readonly reply: Reply | undefined
  readonly settle: Settle
  /** Told what the client gets in place of the rest, once. */
  readonly block: (error: LlmError, blame: Blame) => void
}

/** Why something is blocked, as logs and metrics say it: with the words that they have for a whole answer. */
export interface Blame {
  readonly reason: Reason
  readonly code: string
  /** What went wrong; where a guard has decided, nothing did. */
  readonly error?: string
}

/** Of a check that is over. */
export type CheckEnd = Pick<Checked, 'tookMs' | 'reason'>

/** What the guards of one stream have in common: whom they tell, and that all of them stop at once. */
export class Checks {
  readonly #options: ChecksOptions
  /** There once somebody is asked: most guards ask nobody. */
  #abort: AbortController | undefined = undefined
  #isOver = false

  constructor(options: ChecksOptions) {
    this.#options = options
  }

  get x(): Exchange {
    return this.#options.x
  }

  /** Nothing is to be looked at any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Nobody waits for a verdict any more. */
  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#abort?.abort()
  }

  about(kept: unknown): Checking {
    this.#abort ??= new AbortController()
    return { phase: 'response', kept, reply: this.#options.reply, signal: this.#abort.signal }
  }

  settle({ name }: Guard, action: Checked['action'], end: CheckEnd): void {
    this.#options.settle(this.x, { guard: name, phase: 'response', action, ...end })
  }

  reject(guard: Guard, { status, body }: GuardRejection, end: CheckEnd): void {
    this.settle(guard, 'Reject', end)
    this.block({ ...intervention, status, message: body }, byVerdict)
  }

  /** Blocks because a verdict cannot be carried out any more: it is about what the client has. */
  rejectLate(guard: Guard, end: CheckEnd): void {
    this.settle(guard, 'Reject', end)
    this.block(undecided, byVerdict)
  }

  /** A guard has no verdict. True if everything is to pass it then; otherwise the stream is blocked. */
  opens(guard: Guard, problem: unknown, tookMs: number): boolean {
    const reason = problem instanceof Error ? problem.message : 'failed'
    this.settle(guard, guard.opensOnFailure ? 'FailOpen' : 'FailClosed', { tookMs, reason })
    if (!guard.opensOnFailure) this.block(undecided, byFailure)
    return guard.opensOnFailure
  }

  /** Something broke that is no guard's. */
  breakOff(): void {
    this.block(undecided, byFailure)
  }

  block(error: LlmError, blame: Blame): void {
    if (this.#isOver) return
    this.stop()
    this.#options.block(error, blame)
  }
}

const byVerdict: Blame = { reason: 'Guardrail', code: 'guardrail_rejected' }

const byFailure: Blame = {
  reason: 'Guardrail',
  code: 'guardrail_failed',
  error: 'failed to process LLM response: prompt guard failed',
}

const intervention = { type: 'guardrail_blocked', code: 'guardrail_intervention' } as const

const undecided: LlmError = { ...intervention, status: 503, message: 'Content blocked by guardrail policy' }
