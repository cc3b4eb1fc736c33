import type { Guard } from '../guard.ts'
import type { GuardStreaming } from '../schema/normal-form.ts'
import type { PendingText, TextPath } from './pending-event.ts'
import { FollowedTexts } from './incremental-guard.ts'
import type { Checks } from './pending-checks.ts'
import { WindowedTexts, type WindowSize } from './windowed-guard.ts'

/** The end of a chain: texts that all guards have cleared. */
export class ClearedTexts implements TextPath {
  #hasEnded = false

  /** Everything has been cleared, and nothing follows. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  text(text: PendingText): void {
    text.event.clear(text)
  }

  close(): void {
    // Channels matter to guards only.
  }

  end(): void {
    this.#hasEnded = true
  }
}

/** The guards of a chain, and how they check streams. */
export interface GuardChainOptions {
  /** In this order: each gets the result of the one before it. */
  readonly guards: readonly Guard[]
  /** What each of them saved of the request. */
  readonly kept: readonly unknown[]
  readonly streaming: GuardStreaming
}

/**
 * The guards of one stream, in sequence. At most one callout is active at a time; guards at the end of the chain come
 * first, so that cleared text is sent early.
 */
export class GuardChain implements TextPath {
  readonly #first: TextPath
  readonly #windows: WindowedTexts[] = []
  readonly #checks: Checks

  /**
   * @param last Gets the texts that all guards have cleared.
   * @param later Runs a late verdict, and {@link advance}s the chain then.
   */
  constructor(
    { guards, kept, streaming }: GuardChainOptions,
    checks: Checks,
    last: TextPath,
    later: (run: () => void) => void,
  ) {
    this.#checks = checks
    let next = last
    for (const [i, guard] of streaming.mode === 'Disabled' ? [] : [...guards.entries()].reverse()) {
      if (streaming.mode === 'Enabled' && guard.follow) {
        next = new FollowedTexts(guard, guard.follow, checks, next)
        continue
      }
      const size = streaming.mode === 'Enabled' ? { ...streaming, takesShort: true } : everything
      const windows = new WindowedTexts({ guard, kept: kept[i], size, checks, next, later })
      this.#windows.push(windows)
      next = windows
    }
    this.#first = next
  }

  /** So much is pending that the source should be paused. */
  get isBehind(): boolean {
    return this.#windows.some((windows) => windows.isBehind)
  }

  text(text: PendingText): void {
    this.#first.text(text)
  }

  close(channels: readonly string[] | 'all'): void {
    this.#first.close(channels)
  }

  end(): void {
    this.#first.end()
  }

  /**
   * Starts the check that is due, if there is one.
   *
   * @param isAtRest Nothing else has been received yet.
   */
  advance(isAtRest: boolean): void {
    for (;;) {
      if (this.#checks.isOver || this.#windows.some((windows) => windows.isChecking)) return
      const due = this.#windows.find((windows) => windows.isDue(isAtRest))
      if (!due) return
      due.check()
    }
  }
}

/** Everything at once, at the end. */
const everything: WindowSize = { windowBytes: Infinity, overlapBytes: 0, takesShort: false }
