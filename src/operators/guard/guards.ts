import type { Exchange } from '../../model/exchange.ts'
import type { GuardStreaming } from '../../model/llm-guards.ts'
import type { Guard, GuardPhase } from './guard.ts'

/** The guards of a model, ready to be asked. */
export interface Guards {
  readonly request: readonly Guard[]
  readonly response: readonly Guard[]
  readonly streaming: GuardStreaming
  /** Told of each check that is over. */
  readonly settle: Settle
}

/** Is told what became of a check: counts it, logs failures, and tells watchers. */
export type Settle = (x: Exchange, checked: Checked) => void

/** What a guard made of what it was shown. */
export interface Checked {
  readonly guard: string
  readonly phase: GuardPhase
  readonly action: 'Allow' | 'Mask' | 'Reject' | 'FailOpen' | 'FailClosed'
  readonly tookMs: number
  /** Why, in the guard's own words, or what went wrong; never a part of what it was shown. */
  readonly reason?: string | undefined
}
