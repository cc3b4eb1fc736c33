import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import type { GuardRejection } from './schema/normal-form.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { joinedRuns } from '../../../protocols/llm/texts/joined-runs.ts'
import type { TextSlot } from '../../../protocols/llm/texts/text-slot.ts'
import { type Guard, GuardFailure, type GuardPhase, type GuardVerdict, type OnGuardEnd } from './guard.ts'
import { JoinedTexts } from './joined-texts.ts'

/** What a run of guards gets besides the texts. */
export interface GuardRun {
  readonly x: Exchange
  readonly phase: GuardPhase
  readonly guards: readonly Guard[]
  /** What each of them saved of the request. */
  readonly kept: readonly unknown[]
  readonly reply?: Reply | undefined
  readonly onGuardEnd: OnGuardEnd
}

/** Allowed unchanged or masked, rejected, or without a verdict. */
export type GuardOutcome = 'unchanged' | 'masked' | 'failed' | GuardRejection

/**
 * Checks texts with one guard after another, each with the result of the one before, and writes the masked texts into
 * their slots. The first guard that rejects, or fails closed, ends the run. Texts that a model reads as one are also
 * checked joined, after their parts.
 *
 * @returns A promise only if a guard works asynchronously.
 */
export const runGuards = (
  slots: readonly TextSlot[],
  run: GuardRun,
): GuardOutcome | Promise<GuardOutcome> => {
  const texts = slots.map(({ text }) => text)
  const runs = joinedRuns(slots)
  const from = (first: number): GuardOutcome | Promise<GuardOutcome> => {
    for (let i = first; i < run.guards.length; i++) {
      const guard = run.guards[i] as Guard
      const seen = [...slots.entries()]
        .filter(([at, { scope }]) => texts[at] !== '' && guard.scopes.has(scope))
        .map(([at]) => at)
      if (seen.length === 0) continue
      const checking = new Check(guard, run.kept[i], run, { slots, texts, seen, runs })
      const over = checking.check()
      if (over instanceof Promise) return over.then((ended) => ended ?? from(i + 1))
      if (over !== undefined) return over
    }
    const masked = [...slots.entries()].filter(([at, { text }]) => texts[at] !== text)
    for (const [at, slot] of masked) slot.set(texts[at] as string)
    return masked.length ? 'masked' : 'unchanged'
  }
  return from(0)
}

/** The texts of a check. */
interface CheckedTexts {
  readonly slots: readonly TextSlot[]
  /** The current form of each of them. */
  readonly texts: string[]
  /** Indexes of the texts in the guard's scopes. */
  readonly seen: readonly number[]
  readonly runs: readonly (readonly number[])[]
}

/** One guard's check of the texts in its scopes. Its result, if there is one, ends the run. */
class Check {
  readonly #guard: Guard
  readonly #kept: unknown
  readonly #run: GuardRun
  readonly #texts: CheckedTexts
  readonly #startedAt = performance.now()
  #isMasked = false
  #rounds = 0

  constructor(guard: Guard, kept: unknown, run: GuardRun, shown: CheckedTexts) {
    this.#guard = guard
    this.#kept = kept
    this.#run = run
    this.#texts = shown
  }

  check(): GuardOutcome | undefined | Promise<GuardOutcome | undefined> {
    const { x, phase, reply } = this.#run
    const { slots, texts, seen, runs } = this.#texts
    const parts = seen.map((at) => {
      const { role, scope } = slots[at] as TextSlot
      return { role, scope, text: texts[at] as string }
    })
    const joined = new JoinedTexts(parts, runsAmong(runs, seen))
    this.#rounds++
    try {
      const about = { phase, reply, kept: this.#kept, signal: x.signal }
      const verdict = this.#guard.check(x, joined.shown, about)
      if (!(verdict instanceof Promise)) return this.#apply(joined, verdict)
      return verdict.then(
        (one) => this.#apply(joined, one),
        (failure: unknown) => this.#failed(failure),
      )
    } catch (failure) {
      return this.#failed(failure)
    }
  }

  #apply(
    joined: JoinedTexts,
    verdict: GuardVerdict,
  ): GuardOutcome | undefined | Promise<GuardOutcome | undefined> {
    if (verdict?.action === 'reject') {
      this.#recordResult('Reject', verdict.reason)
      return verdict.rejection
    }
    if (verdict) {
      if (verdict.texts.length !== joined.shown.length)
        return this.#failed(new GuardFailure('a mask of another number of texts'))
      this.#isMasked = true
      const { texts, isFinal } = joined.masked(verdict.texts)
      const { seen, texts: all } = this.#texts
      texts.forEach((text, i) => (all[seen[i] as number] = text))
      if (!isFinal) {
        if (this.#rounds < MOST_ROUNDS) return this.check()
        return this.#failed(new GuardFailure('masks of texts and of their parts that do not fit together'))
      }
    }
    this.#recordResult(this.#isMasked ? 'Mask' : 'Allow', verdict?.reason)
    return undefined
  }

  #failed(failure: unknown): GuardOutcome | undefined {
    // A cancelled check has no result.
    if (this.#run.x.signal.aborted) throw failure
    if (!(failure instanceof GuardFailure || failure instanceof Fault)) throw failure
    const opens = this.#guard.opensOnFailure
    this.#recordResult(opens ? 'FailOpen' : 'FailClosed', failure.message)
    return opens ? undefined : 'failed'
  }

  #recordResult(action: Parameters<OnGuardEnd>[1]['action'], reason: string | undefined): void {
    const { x, phase, onGuardEnd } = this.#run
    onGuardEnd(x, {
      guard: this.#guard.name,
      phase,
      action,
      reason,
      tookMs: performance.now() - this.#startedAt,
    })
  }
}

/** The runs reduced to the texts in scope, as indexes among those. */
const runsAmong = (
  runs: readonly (readonly number[])[],
  seen: readonly number[],
): readonly (readonly number[])[] => {
  if (runs.length === 0) return runs
  const indexes = new Map(seen.map((at, i) => [at, i]))
  return runs
    .map((run) => run.map((at) => indexes.get(at)).filter((index) => index !== undefined))
    .filter((run) => run.length > 1)
}

/** Stops a guard that masks its own masks forever. */
const MOST_ROUNDS = 3
