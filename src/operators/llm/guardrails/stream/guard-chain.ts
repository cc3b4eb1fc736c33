import type { GuardStreaming } from '../../model/llm-guards.ts'
import type { Guard } from '../guard/guard.ts'
import type { Checks } from './checks.ts'
import { FollowedTexts } from './followed-texts.ts'
import type { HeldText, TextPath } from './held-text.ts'
import { WindowedTexts, type WindowSize } from './windowed-texts.ts'

/** Of which guards a chain is made, and how they look at streams. */
export interface GuardChainOptions {
  /** In this order: each is shown what the one before it left. */
  readonly guards: readonly Guard[]
  /** What each of them kept of the request. */
  readonly kept: readonly unknown[]
  readonly streaming: GuardStreaming
}

/**
 * The guards of one stream, one behind the other. At most one of them waits for an answer at a time; those at the end of
 * the chain come first, so that what can leave does.
 */
export class GuardChain implements TextPath {
  readonly #first: TextPath
  readonly #windows: WindowedTexts[] = []
  readonly #checks: Checks

  /**
   * @param last Gets the texts that all guards have cleared.
   * @param later Runs what has to be done when a verdict comes late, and {@link advance}s the chain then.
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

  /** More waits than its source should go on sending. */
  get isBehind(): boolean {
    return this.#windows.some((windows) => windows.isBehind)
  }

  text(text: HeldText): void {
    this.#first.text(text)
  }

  close(channels: readonly string[] | 'all'): void {
    this.#first.close(channels)
  }

  end(): void {
    this.#first.end()
  }

  /**
   * Asks whom there is to ask.
   *
   * @param isAtRest Nothing else has come yet.
   */
  advance(isAtRest: boolean): void {
    for (;;) {
      if (this.#checks.isOver || this.#windows.some((windows) => windows.isAsking)) return
      const due = this.#windows.find((windows) => windows.isDue(isAtRest))
      if (!due) return
      due.ask()
    }
  }
}

/** All there is, at the end. */
const everything: WindowSize = { windowBytes: Infinity, overlapBytes: 0, takesShort: false }
