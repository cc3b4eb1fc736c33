import { type Guard, GuardFailure, type TextFollower } from '../guard.ts'
import type { Checks } from './pending-checks.ts'
import type { PendingText } from './pending-event.ts'

/** One text of a stream, and its incremental check. */
export class FollowedChannel {
  readonly #guard: Guard
  readonly #follower: TextFollower
  readonly #checks: Checks
  /** Pieces that the follower has not returned. */
  #buffered: PendingText[] = []
  #isMasked = false
  /** The check has failed open, and everything is allowed. */
  #isOpen = false
  #tookMs = 0

  constructor(guard: Guard, follower: TextFollower, checks: Checks) {
    this.#guard = guard
    this.#follower = follower
    this.#checks = checks
  }

  /** @returns The cleared pieces, in order. */
  push(text: PendingText): readonly PendingText[] {
    this.#buffered.push(text)
    return this.#isOpen ? this.#takeAll() : this.#check('push', text.text)
  }

  /** The text is complete. */
  end(): readonly PendingText[] {
    return this.#isOpen ? none : this.#report(this.#check('end', ''))
  }

  /** A complete text. */
  whole(text: PendingText): readonly PendingText[] {
    this.#buffered.push(text)
    return this.#report(this.#check('whole', text.text))
  }

  #check(step: 'push' | 'end' | 'whole', text: string): readonly PendingText[] {
    const isTimed = this.#checks.x.probe !== undefined
    const startedAt = isTimed ? performance.now() : 0
    let made: readonly string[] | 'reject'
    try {
      made = this.#callFollower(step, text)
    } catch (problem) {
      this.#isOpen = this.#checks.opens(this.#guard, problem, this.#tookMs)
      return this.#isOpen ? this.#takeAll() : none
    }
    if (isTimed) this.#tookMs += performance.now() - startedAt
    if (made !== 'reject') return made.length === 0 ? none : this.#changed(made)
    this.#checks.reject(this.#guard, this.#follower.rejection, { tookMs: this.#tookMs })
    return none
  }

  #callFollower(step: 'push' | 'end' | 'whole', text: string): readonly string[] | 'reject' {
    const follower = this.#follower
    if (step === 'whole') return follower.whole(text)
    const made = step === 'push' ? follower.push(text) : follower.end()
    const count = this.#buffered.length
    if (made !== 'reject' && (made.length > count || (step === 'end' && made.length < count)))
      throw new GuardFailure('another number of pieces came back')
    return made
  }

  #changed(made: readonly string[]): readonly PendingText[] {
    const out =
      made.length === this.#buffered.length ? this.#takeAll() : this.#buffered.splice(0, made.length)
    for (let i = 0; i < out.length; i++) {
      const [text, now] = [out[i] as PendingText, made[i] as string]
      if (now === text.text) continue
      text.text = now
      this.#isMasked = true
    }
    return out
  }

  #takeAll(): PendingText[] {
    const out = this.#buffered
    this.#buffered = []
    return out
  }

  #report(out: readonly PendingText[]): readonly PendingText[] {
    if (!this.#checks.isOver && !this.#isOpen)
      this.#checks.recordResult(this.#guard, this.#isMasked ? 'Mask' : 'Allow', { tookMs: this.#tookMs })
    return out
  }
}

const none: readonly never[] = []
