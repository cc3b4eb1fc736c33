import type { Guard, TextFollower } from '../guard.ts'
import type { Checks } from './pending-checks.ts'
import { FollowedChannel } from './text-channel.ts'
import type { PendingText, TextPath } from './pending-event.ts'
import { BoundaryTexts } from './boundary-texts.ts'

/** A guard that checks each text of a stream incrementally, without callouts. */
export class FollowedTexts implements TextPath {
  readonly #guard: Guard
  readonly #follow: () => TextFollower
  readonly #checks: Checks
  readonly #boundaries: BoundaryTexts
  readonly #next: TextPath
  readonly #channels = new Map<string, FollowedChannel>()

  constructor(guard: Guard, follow: () => TextFollower, checks: Checks, next: TextPath) {
    this.#guard = guard
    this.#follow = follow
    this.#checks = checks
    this.#boundaries = new BoundaryTexts({ guard, follow, checks, next })
    this.#next = next
  }

  text(text: PendingText): void {
    const { channel } = text
    if (!this.#guard.scopes.has(text.slot.scope)) this.#next.text(text)
    else if (channel !== undefined) this.#pass(this.#at(channel).push(text))
    else if (text.text === '') this.#boundaries.text(text)
    else this.#pass(this.#followed().whole(text))
  }

  close(channels: readonly string[] | 'all'): void {
    for (const name of channels === 'all' ? [...this.#channels.keys()] : channels) {
      const channel = this.#channels.get(name)
      if (!channel || this.#checks.isOver) continue
      this.#channels.delete(name)
      this.#pass(channel.end(), true)
    }
    if (!this.#checks.isOver) this.#boundaries.close(channels)
  }

  end(): void {
    this.#next.end()
  }

  #at(name: string): FollowedChannel {
    let channel = this.#channels.get(name)
    if (channel) return channel
    channel = this.#followed()
    this.#channels.set(name, channel)
    return channel
  }

  #followed(): FollowedChannel {
    return new FollowedChannel(this.#guard, this.#follow(), this.#checks)
  }

  /** @param isLast The pieces were undecided until the end of their text. */
  #pass(texts: readonly PendingText[], isLast = false): void {
    for (const text of texts) {
      if (this.#checks.isOver) return
      if (isLast) this.#boundaries.last(text)
      else this.#boundaries.text(text)
    }
  }
}
