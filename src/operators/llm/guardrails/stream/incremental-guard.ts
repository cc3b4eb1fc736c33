import type { Guard, TextFollower } from '../guard/guard.ts'
import type { Checks } from './checks.ts'
import { FollowedChannel } from './followed-channel.ts'
import type { HeldText, TextPath } from './held-text.ts'

/** A guard that follows each text of a stream piece by piece, without asking anybody. */
export class FollowedTexts implements TextPath {
  readonly #guard: Guard
  readonly #follow: () => TextFollower
  readonly #checks: Checks
  readonly #next: TextPath
  readonly #channels = new Map<string, FollowedChannel>()

  constructor(guard: Guard, follow: () => TextFollower, checks: Checks, next: TextPath) {
    this.#guard = guard
    this.#follow = follow
    this.#checks = checks
    this.#next = next
  }

  text(text: HeldText): void {
    const { channel } = text
    if (!this.#guard.scopes.has(text.slot.scope)) this.#next.text(text)
    else if (channel !== undefined) this.#pass(this.#at(channel).push(text))
    else if (text.text === '') this.#next.text(text)
    else this.#pass(this.#followed().whole(text))
  }

  close(channels: readonly string[] | 'all'): void {
    for (const name of channels === 'all' ? [...this.#channels.keys()] : channels) {
      const channel = this.#channels.get(name)
      if (!channel || this.#checks.isOver) continue
      this.#channels.delete(name)
      this.#pass(channel.end())
    }
    if (!this.#checks.isOver) this.#next.close(channels)
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

  #pass(texts: readonly HeldText[]): void {
    for (const text of texts) if (!this.#checks.isOver) this.#next.text(text)
  }
}
