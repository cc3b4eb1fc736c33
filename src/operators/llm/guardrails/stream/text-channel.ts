import { type Guard, GuardFailure, type TextFollower } from '../guard/guard.ts'
import type { Checks } from './checks.ts'
import type { HeldText } from './held-text.ts'

/** One text of a stream, and what follows it. */
export class FollowedChannel {
  readonly #guard: Guard
  readonly #follower: TextFollower
  readonly #checks: Checks
  /** The pieces that the follower has and has not given back. */
  #held: HeldText[] = []
  #isMasked = false
  /** The follower has failed, and everything passes. */
  #isOpen = false
  #tookMs = 0

  constructor(guard: Guard, follower: TextFollower, checks: Checks) {
    this.#guard = guard
    this.#follower = follower
    this.#checks = checks
  }

  /** @returns The pieces that may go on, in order. */
  push(text: HeldText): readonly HeldText[] {
    this.#held.push(text)
    return this.#isOpen ? this.#letGo() : this.#come('push', text.text)
  }

  /** Nothing follows. */
  end(): readonly HeldText[] {
    return this.#isOpen ? none : this.#settled(this.#come('end', ''))
  }

  /** All of the text at once. */
  whole(text: HeldText): readonly HeldText[] {
    this.#held.push(text)
    return this.#settled(this.#come('whole', text.text))
  }

  #come(how: 'push' | 'end' | 'whole', text: string): readonly HeldText[] {
    const isTimed = this.#checks.x.probe !== undefined
    const began = isTimed ? performance.now() : 0
    let made: readonly string[] | 'reject'
    try {
      made = this.#ask(how, text)
    } catch (problem) {
      this.#isOpen = this.#checks.opens(this.#guard, problem, this.#tookMs)
      return this.#isOpen ? this.#letGo() : none
    }
    if (isTimed) this.#tookMs += performance.now() - began
    if (made !== 'reject') return made.length === 0 ? none : this.#changed(made)
    this.#checks.reject(this.#guard, this.#follower.rejection, { tookMs: this.#tookMs })
    return none
  }

  #ask(how: 'push' | 'end' | 'whole', text: string): readonly string[] | 'reject' {
    const follower = this.#follower
    if (how === 'whole') return follower.whole(text)
    const made = how === 'push' ? follower.push(text) : follower.end()
    const held = this.#held.length
    if (made !== 'reject' && (made.length > held || (how === 'end' && made.length < held)))
      throw new GuardFailure('another number of pieces came back')
    return made
  }

  #changed(made: readonly string[]): readonly HeldText[] {
    const out = made.length === this.#held.length ? this.#letGo() : this.#held.splice(0, made.length)
    for (let i = 0; i < out.length; i++) {
      const [text, now] = [out[i] as HeldText, made[i] as string]
      if (now === text.text) continue
      text.text = now
      this.#isMasked = true
    }
    return out
  }

  #letGo(): HeldText[] {
    const out = this.#held
    this.#held = []
    return out
  }

  #settled(out: readonly HeldText[]): readonly HeldText[] {
    if (!this.#checks.isOver && !this.#isOpen)
      this.#checks.settle(this.#guard, this.#isMasked ? 'Mask' : 'Allow', { tookMs: this.#tookMs })
    return out
  }
}

const none: readonly never[] = []
