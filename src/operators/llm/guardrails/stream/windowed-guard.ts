import { type Guard, GuardFailure, type GuardVerdict } from '../guard/guard.ts'
import type { Checks } from './checks.ts'
import { endOfText } from './end-of-text.ts'
import type { HeldText, TextPath } from './held-text.ts'
import { WindowBatch } from './window-batch.ts'

/** How much a guard looks at together. */
export interface WindowSize {
  /** So much new text, in bytes of UTF-8. */
  readonly windowBytes: number
  /** So much of the text before it, which has been cleared, once more. */
  readonly overlapBytes: number
  /** Less than a window is looked at once nothing can be added to it: all of its channels have been closed. */
  readonly takesShort: boolean
}

/** Who asks, and how it goes on. */
export interface WindowParts {
  readonly guard: Guard
  readonly kept: unknown
  readonly size: WindowSize
  readonly checks: Checks
  readonly next: TextPath
  /** Runs what has to be done when a verdict comes late, and whatever can go on then. */
  readonly later: (run: () => void) => void
}

/** A guard that has to be asked, and is asked about windows: so much text at a time, of all channels together. */
export class WindowedTexts implements TextPath {
  readonly #parts: WindowParts
  #waiting: Waiting[] = []
  /** Of the texts that wait. */
  #newBytes = 0
  /** Channels with texts that wait, to which more may be added. */
  readonly #open = new Set<string>()
  /** The end of what was cleared, by channel. */
  readonly #tails = new Map<string, string>()
  #hasEnded = false
  #isAsking = false

  constructor(parts: WindowParts) {
    this.#parts = parts
  }

  get isAsking(): boolean {
    return this.#isAsking
  }

  /** More waits than its source should go on sending. */
  get isBehind(): boolean {
    return this.#newBytes > BEHIND_WINDOWS * this.#parts.size.windowBytes
  }

  /** @param isAtRest Nothing else has come yet. */
  isDue(isAtRest: boolean): boolean {
    const { windowBytes, takesShort } = this.#parts.size
    if (this.#waiting.length === 0) return false
    if (this.#newBytes === 0 || this.#newBytes >= windowBytes || this.#hasEnded) return true
    return isAtRest && takesShort && this.#open.size === 0
  }

  text(text: HeldText): void {
    const isSeen = this.#parts.guard.scopes.has(text.slot.scope)
    if (!isSeen || (text.text === '' && this.#isIdle)) {
      this.#parts.next.text(text)
      return
    }
    this.#waiting.push(text)
    if (text.text === '') return
    this.#newBytes += Buffer.byteLength(text.text)
    if (text.channel !== undefined) this.#open.add(text.channel)
  }

  close(closes: readonly string[] | 'all'): void {
    if (closes === 'all') this.#open.clear()
    else for (const channel of closes) this.#open.delete(channel)
    if (this.#isIdle) this.#passOn({ closes })
    else this.#waiting.push({ closes })
  }

  end(): void {
    this.#hasEnded = true
    if (this.#isIdle) this.#passOn('end')
    else this.#waiting.push('end')
  }

  /** Asks about everything that waits. */
  ask(): void {
    const { guard, kept, checks, later } = this.#parts
    const window = this.#take()
    const texts = window.batch.texts()
    if (texts.length === 0) {
      this.#pass(window)
      return
    }
    const began = performance.now()
    const took = () => performance.now() - began
    let verdict: GuardVerdict | Promise<GuardVerdict>
    this.#isAsking = true
    try {
      verdict = guard.check(checks.x, texts, checks.about(kept))
    } catch (problem) {
      this.#failed(window, problem, took())
      return
    }
    if (verdict instanceof Promise)
      verdict.then(
        (late) => {
          later(() => {
            this.#judge(window, late, took())
          })
        },
        (problem: unknown) => {
          later(() => {
            this.#failed(window, problem, took())
          })
        },
      )
    else this.#judge(window, verdict, took())
  }

  get #isIdle(): boolean {
    return this.#waiting.length === 0 && !this.#isAsking
  }

  #take(): Window {
    const items = this.#waiting
    this.#waiting = []
    this.#newBytes = 0
    this.#open.clear()
    const batch = new WindowBatch()
    for (const item of items) if (isText(item)) batch.add(item, (channel) => this.#tails.get(channel) ?? '')
    return { items, batch }
  }

  #judge(window: Window, verdict: GuardVerdict, tookMs: number): void {
    const { guard, checks } = this.#parts
    const end = { tookMs, reason: verdict?.reason }
    if (verdict?.action === 'reject') checks.reject(guard, verdict.rejection, end)
    else if (verdict && verdict.texts.length !== window.batch.size)
      this.#failed(window, new GuardFailure('a mask of another number of texts'), tookMs)
    else if (verdict && !window.batch.apply(verdict)) checks.rejectLate(guard, end)
    else {
      checks.settle(guard, verdict ? 'Mask' : 'Allow', end)
      this.#pass(window)
    }
  }

  #failed(window: Window, problem: unknown, tookMs: number): void {
    if (this.#parts.checks.opens(this.#parts.guard, problem, tookMs)) this.#pass(window)
  }

  #pass({ items, batch }: Window): void {
    const { checks, size } = this.#parts
    this.#isAsking = false
    if (size.overlapBytes > 0)
      for (const [channel, text] of batch.cleared())
        this.#tails.set(channel, endOfText(text, size.overlapBytes))
    for (const item of items) if (!checks.isOver) this.#passOn(item)
  }

  #passOn(item: Waiting): void {
    const { next } = this.#parts
    if (item === 'end') next.end()
    else if (isText(item)) next.text(item)
    else {
      const { closes } = item
      if (closes === 'all') this.#tails.clear()
      else for (const channel of closes) this.#tails.delete(channel)
      next.close(closes)
    }
  }
}

/** What waits, in order. */
type Waiting = HeldText | { readonly closes: readonly string[] | 'all' } | 'end'

/** What was asked about at once, and what waits with it. */
interface Window {
  readonly items: readonly Waiting[]
  readonly batch: WindowBatch
}

const isText = (item: Waiting): item is HeldText => item !== 'end' && 'slot' in item

/** So many windows may wait while a guard thinks. */
const BEHIND_WINDOWS = 4
