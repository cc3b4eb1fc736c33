import type { Exchange } from '../../model/exchange.ts'
import { Fault } from '../../model/fault.ts'
import type { GuardRejection } from '../../model/llm-guards.ts'
import type { Reply } from '../../model/reply.ts'
import type { TextSlot } from '../../protocols/llm/texts/text-slot.ts'
import { type Guard, GuardFailure, type GuardPhase, type GuardVerdict } from './guard.ts'
import type { Settle } from './guards.ts'

/** What guards are asked about. */
export interface GuardRun {
  readonly x: Exchange
  readonly phase: GuardPhase
  readonly guards: readonly Guard[]
  /** What each of them kept of the request. */
  readonly kept: readonly unknown[]
  readonly reply?: Reply | undefined
  readonly settle: Settle
}

/** All may pass, as it was or masked; it is rejected; or nobody can say. */
export type Guarded = 'unchanged' | 'masked' | 'failed' | GuardRejection

/**
 * Shows texts to guards, one guard after another, each what the one before it left; then puts what they made of the texts
 * in their places. The first that rejects, or has no verdict and does not open for it, ends it.
 *
 * @returns A promise only if a guard had to be waited for.
 */
export const runGuards = (slots: readonly TextSlot[], run: GuardRun): Guarded | Promise<Guarded> => {
  const texts = slots.map(({ text }) => text)
  const from = (first: number): Guarded | Promise<Guarded> => {
    for (let i = first; i < run.guards.length; i++) {
      const guard = run.guards[i] as Guard
      const seen = [...slots.entries()]
        .filter(([at, { scope }]) => texts[at] !== '' && guard.scopes.has(scope))
        .map(([at]) => at)
      if (seen.length === 0) continue
      const checking = new Check(guard, run.kept[i], run, texts, seen)
      const over = checking.ask(slots)
      if (over instanceof Promise) return over.then((ended) => ended ?? from(i + 1))
      if (over !== undefined) return over
    }
    const masked = [...slots.entries()].filter(([at, { text }]) => texts[at] !== text)
    for (const [at, slot] of masked) slot.set(texts[at] as string)
    return masked.length ? 'masked' : 'unchanged'
  }
  return from(0)
}

/** One guard asked about the texts that it may see. What ends the run is returned. */
class Check {
  readonly #guard: Guard
  readonly #kept: unknown
  readonly #run: GuardRun
  readonly #texts: string[]
  readonly #seen: readonly number[]
  readonly #began = performance.now()

  constructor(guard: Guard, kept: unknown, run: GuardRun, texts: string[], seen: readonly number[]) {
    this.#guard = guard
    this.#kept = kept
    this.#run = run
    this.#texts = texts
    this.#seen = seen
  }

  ask(slots: readonly TextSlot[]): Guarded | undefined | Promise<Guarded | undefined> {
    const { x, phase, reply } = this.#run
    const shown = this.#seen.map((at) => {
      const { role, scope } = slots[at] as TextSlot
      return { role, scope, text: this.#texts[at] as string }
    })
    try {
      const verdict = this.#guard.check(x, shown, { phase, reply, kept: this.#kept, signal: x.signal })
      if (!(verdict instanceof Promise)) return this.#judge(verdict)
      return verdict.then(
        (one) => this.#judge(one),
        (failure: unknown) => this.#failed(failure),
      )
    } catch (failure) {
      return this.#failed(failure)
    }
  }

  #judge(verdict: GuardVerdict): Guarded | undefined {
    if (verdict?.action === 'reject') {
      this.#settle('Reject', verdict.reason)
      return verdict.rejection
    }
    if (verdict && verdict.texts.length !== this.#seen.length)
      return this.#failed(new GuardFailure('a mask of another number of texts'))
    verdict?.texts.forEach((text, i) => (this.#texts[this.#seen[i] as number] = text))
    this.#settle(verdict ? 'Mask' : 'Allow', verdict?.reason)
    return undefined
  }

  #failed(failure: unknown): Guarded | undefined {
    // Of what nobody waits for any more there is nothing to tell.
    if (this.#run.x.signal.aborted) throw failure
    if (!(failure instanceof GuardFailure || failure instanceof Fault)) throw failure
    const opens = this.#guard.opensOnFailure
    this.#settle(opens ? 'FailOpen' : 'FailClosed', failure.message)
    return opens ? undefined : 'failed'
  }

  #settle(action: Parameters<Settle>[1]['action'], reason: string | undefined): void {
    const { x, phase, settle } = this.#run
    settle(x, { guard: this.#guard.name, phase, action, reason, tookMs: performance.now() - this.#began })
  }
}
