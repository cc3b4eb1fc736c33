import { type Guard, GuardFailure, type GuardVerdict } from '../guard.ts'
import type { Checks } from './pending-checks.ts'
import type { PendingText, TextPath } from './pending-event.ts'
import { WindowBatch } from './window-batch.ts'

/**
 * The longest end of a text within a limit in bytes of UTF-8.
 *
 * @example
 * endOfText('dünn', 3) // 'nn'
 */
export const endOfText = (text: string, limitBytes: number): string => {
  let start = text.length
  let bytes = 0
  while (start > 0) {
    const point = text.codePointAt(isPair(text, start) ? start - 2 : start - 1) as number
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (bytes > limitBytes) break
    start -= point < 0x10000 ? 1 : 2
  }
  return text.slice(start)
}

const isPair = (text: string, end: number): boolean =>
  end >= 2 && (text.codePointAt(end - 2) as number) > 0xffff

/** How much text is checked at once. */
export interface WindowSize {
  /** New text, in bytes of UTF-8. */
  readonly windowBytes: number
  /** Text before it, already cleared, that is checked again. */
  readonly overlapBytes: number
  /** A shorter window is checked once nothing can be added to it: all of its channels have been closed. */
  readonly takesShort: boolean
}

/** The guard, and where its texts go next. */
export interface WindowParts {
  readonly guard: Guard
  readonly kept: unknown
  readonly size: WindowSize
  readonly checks: Checks
  readonly next: TextPath
  /** Runs a late verdict, and continues what it cleared. */
  readonly later: (run: () => void) => void
}

/** A guard with callouts, which checks windows: a limited amount of text of all channels together. */
export class WindowedTexts implements TextPath {
  readonly #parts: WindowParts
  #pending: PendingItem[] = []
  /** Size of the pending texts. */
  #newBytes = 0
  /** Channels with pending texts, to which more may be added. */
  readonly #open = new Set<string>()
  /** The end of what was cleared, by channel. */
  readonly #tails = new Map<string, string>()
  #hasEnded = false
  #isChecking = false

  constructor(parts: WindowParts) {
    this.#parts = parts
  }

  get isChecking(): boolean {
    return this.#isChecking
  }

  /** So much is pending that the source should be paused. */
  get isBehind(): boolean {
    return this.#newBytes > BEHIND_WINDOWS * this.#parts.size.windowBytes
  }

  /** @param isAtRest Nothing else has been received yet. */
  isDue(isAtRest: boolean): boolean {
    const { windowBytes, takesShort } = this.#parts.size
    if (this.#pending.length === 0) return false
    if (this.#newBytes === 0 || this.#newBytes >= windowBytes || this.#hasEnded) return true
    return isAtRest && takesShort && this.#open.size === 0
  }

  text(text: PendingText): void {
    const isInScope = this.#parts.guard.scopes.has(text.slot.scope)
    if (!isInScope || (text.text === '' && this.#isIdle)) {
      this.#parts.next.text(text)
      return
    }
    this.#pending.push(text)
    if (text.text === '') return
    this.#newBytes += Buffer.byteLength(text.text)
    if (text.channel !== undefined) this.#open.add(text.channel)
  }

  close(closes: readonly string[] | 'all'): void {
    if (closes === 'all') this.#open.clear()
    else for (const channel of closes) this.#open.delete(channel)
    if (this.#isIdle) this.#passOn({ closes })
    else this.#pending.push({ closes })
  }

  end(): void {
    this.#hasEnded = true
    if (this.#isIdle) this.#passOn('end')
    else this.#pending.push('end')
  }

  /** Checks everything that is pending. */
  check(): void {
    this.#check(this.#take())
  }

  #check(window: Window): void {
    const { guard, kept, checks, later } = this.#parts
    const texts = window.batch.texts()
    if (texts.length === 0) {
      this.#pass(window)
      return
    }
    const startedAt = performance.now()
    const took = () => performance.now() - startedAt
    let verdict: GuardVerdict | Promise<GuardVerdict>
    this.#isChecking = true
    try {
      verdict = guard.check(checks.x, texts, checks.about(kept))
    } catch (problem) {
      this.#failed(window, problem, took())
      return
    }
    if (verdict instanceof Promise)
      verdict.then(
        (lateVerdict) => {
          later(() => {
            this.#apply(window, lateVerdict, took())
          })
        },
        (problem: unknown) => {
          later(() => {
            this.#failed(window, problem, took())
          })
        },
      )
    else this.#apply(window, verdict, took())
  }

  get #isIdle(): boolean {
    return this.#pending.length === 0 && !this.#isChecking
  }

  #take(): Window {
    const items = this.#pending
    this.#pending = []
    this.#newBytes = 0
    this.#open.clear()
    const batch = new WindowBatch()
    for (const item of items) if (isText(item)) batch.add(item, (channel) => this.#tails.get(channel) ?? '')
    return { items, batch, rounds: 1 }
  }

  #apply(window: Window, verdict: GuardVerdict, tookMs: number): void {
    const { guard, checks } = this.#parts
    const end = { tookMs, reason: verdict?.reason }
    if (verdict?.action === 'reject') checks.reject(guard, verdict.rejection, end)
    else if (verdict && verdict.texts.length !== window.batch.size)
      this.#failed(window, new GuardFailure('a mask of another number of texts'), tookMs)
    else {
      const applied = verdict ? window.batch.apply(verdict) : 'done'
      if (applied === 'late') {
        checks.rejectLate(guard, end)
        return
      }
      if (applied === 'again') {
        if (window.rounds < MOST_ROUNDS) this.#check({ ...window, rounds: window.rounds + 1 })
        else
          this.#failed(
            window,
            new GuardFailure('masks of texts and of their parts that do not fit together'),
            tookMs,
          )
        return
      }
      checks.recordResult(guard, verdict ? 'Mask' : 'Allow', end)
      this.#pass(window)
    }
  }

  #failed(window: Window, problem: unknown, tookMs: number): void {
    if (this.#parts.checks.opens(this.#parts.guard, problem, tookMs)) this.#pass(window)
  }

  #pass({ items, batch }: Window): void {
    const { checks, size } = this.#parts
    this.#isChecking = false
    if (size.overlapBytes > 0)
      for (const [channel, text] of batch.cleared())
        this.#tails.set(channel, endOfText(text, size.overlapBytes))
    for (const item of items) if (!checks.isOver) this.#passOn(item)
  }

  #passOn(item: PendingItem): void {
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

/** A pending item, in order. */
type PendingItem = PendingText | { readonly closes: readonly string[] | 'all' } | 'end'

/** The texts of one check, and the items pending with them. */
interface Window {
  readonly items: readonly PendingItem[]
  readonly batch: WindowBatch
  /** How often it has been checked. */
  readonly rounds: number
}

const isText = (item: PendingItem): item is PendingText => item !== 'end' && 'slot' in item

/** Stops a guard that masks its own masks forever. */
const MOST_ROUNDS = 3
/** Windows that may be pending during a check. */
const BEHIND_WINDOWS = 4
