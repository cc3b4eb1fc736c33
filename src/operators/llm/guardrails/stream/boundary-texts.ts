import type { Guard, TextFollower } from '../guard.ts'
import { maskAcross } from '../mask-across.ts'
import type { Checks } from './pending-checks.ts'
import type { PendingText, TextPath } from './pending-event.ts'

/** The guard, and where its texts go next. */
export interface BoundaryParts {
  readonly guard: Guard
  readonly follow: () => TextFollower
  readonly checks: Checks
  readonly next: TextPath
}

/**
 * Checks the boundaries between texts of a stream, after each text has been checked by itself. With a single text that
 * costs nothing: its undecided end is buffered until the next text, or the end of the stream.
 */
export class BoundaryTexts implements TextPath {
  readonly #parts: BoundaryParts
  readonly #boundaries = new Map<string, Boundary>()
  /** Channels to close once a piece has been passed on. */
  readonly #closesAfter = new Map<PendingText, string[]>()
  /** Of incomplete runs, how many texts have been received. */
  readonly #runs = new Map<NonNullable<PendingText['run']>, number>()

  constructor(parts: BoundaryParts) {
    this.#parts = parts
  }

  text(text: PendingText): void {
    const { channel, stretch, run } = text
    if (channel === undefined && run) this.#ofRun(run)
    else if (channel === undefined || stretch === undefined) this.#parts.next.text(text)
    else this.#pass(this.#at(stretch).push(text, channel))
  }

  /** A piece that was undecided until the end of its text. */
  last(text: PendingText): void {
    const { channel, stretch } = text
    if (channel === undefined || stretch === undefined) this.text(text)
    else this.#pass(this.#at(stretch).buffer(text, channel))
  }

  close(channels: readonly string[] | 'all'): void {
    const { next, checks } = this.#parts
    for (const name of channels === 'all' ? [...this.#boundaries.keys()] : channels) {
      const boundary = this.#boundaries.get(name)
      if (!boundary || checks.isOver) continue
      this.#boundaries.delete(name)
      this.#pass(boundary.end())
    }
    if (checks.isOver) return
    const rest = channels === 'all' ? channels : channels.filter((name) => !this.#closesLater(name))
    if (rest.length) next.close(rest)
  }

  /** A channel whose last piece is buffered is closed after that piece. */
  #closesLater(channel: string): boolean {
    for (const boundary of this.#boundaries.values()) {
      const last = boundary.lastOf(channel)
      if (!last) continue
      const closing = this.#closesAfter.get(last)
      if (closing) closing.push(channel)
      else this.#closesAfter.set(last, [channel])
      return true
    }
    return false
  }

  end(): void {
    this.#parts.next.end()
  }

  #at(stretch: string): Boundary {
    let boundary = this.#boundaries.get(stretch)
    if (!boundary) this.#boundaries.set(stretch, (boundary = new Boundary(this.#parts.follow)))
    return boundary
  }

  #ofRun(run: NonNullable<PendingText['run']>): void {
    const received = (this.#runs.get(run) ?? 0) + 1
    this.#runs.set(run, received)
    if (received < run.texts.length) return
    this.#runs.delete(run)
    const before = run.texts.map(({ text }) => text)
    const joined = before.join('')
    const made = joined === '' ? ([joined] as const) : this.#parts.follow().whole(joined)
    if (made !== 'reject' && made[0] !== joined)
      maskAcross(before, made[0]).forEach((text, i) => ((run.texts[i] as PendingText).text = text))
    this.#pass(made === 'reject' ? made : run.texts)
  }

  #pass(texts: readonly PendingText[] | 'reject'): void {
    const { checks, guard, follow, next } = this.#parts
    if (texts === 'reject') {
      checks.reject(guard, follow().rejection, { tookMs: 0 })
      return
    }
    for (const text of texts) {
      if (checks.isOver) return
      next.text(text)
      this.#closeBehind(text)
    }
  }

  #closeBehind(text: PendingText): void {
    const closing = this.#closesAfter.get(text)
    this.#closesAfter.delete(text)
    if (closing && !this.#parts.checks.isOver) this.#parts.next.close(closing)
  }
}

/** Consecutive texts. */
class Boundary {
  readonly #follow: () => TextFollower
  /** Exists from the second text on. */
  #follower: TextFollower | undefined = undefined
  #channel: string | undefined = undefined
  /** The end of the text passed on so far. */
  #context = ''
  /**
   * Pieces that the follower has not returned; undefined stands for the context. Without a follower: pieces buffered
   * for one.
   */
  #buffered: (PendingText | undefined)[] = []

  constructor(follow: () => TextFollower) {
    this.#follow = follow
  }

  push(text: PendingText, channel: string): readonly PendingText[] | 'reject' {
    if (this.#follower) return this.#feed(text)
    if (this.#channel === undefined || this.#channel === channel) {
      this.#channel = channel
      this.#context = (this.#context + text.text).slice(-CONTEXT)
      return [text]
    }
    return this.#begin(text)
  }

  buffer(text: PendingText, channel: string): readonly PendingText[] | 'reject' {
    if (this.#follower) return this.#feed(text)
    if (this.#channel !== undefined && this.#channel !== channel) return this.#begin(text)
    this.#channel = channel
    this.#buffered.push(text)
    return none
  }

  /** The last buffered piece of a channel. */
  lastOf(channel: string): PendingText | undefined {
    return this.#buffered.findLast((text) => text?.channel === channel)
  }

  end(): readonly PendingText[] | 'reject' {
    const made = this.#follower?.end()
    return made === undefined ? this.#buffered.filter((text) => text !== undefined) : this.#changed(made)
  }

  #begin(text: PendingText): readonly PendingText[] | 'reject' {
    this.#follower = this.#follow()
    const waiting = [...this.#buffered, text]
    this.#buffered = []
    const passed: PendingText[] = []
    for (const one of this.#context === '' ? waiting : [undefined, ...waiting]) {
      const out = this.#feed(one)
      if (out === 'reject') return out
      passed.push(...out)
    }
    return passed
  }

  #feed(text: PendingText | undefined): readonly PendingText[] | 'reject' {
    this.#buffered.push(text)
    return this.#changed(this.#follower?.push(text?.text ?? this.#context) ?? [])
  }

  #changed(made: readonly string[] | 'reject'): readonly PendingText[] | 'reject' {
    if (made === 'reject') return made
    const out = this.#buffered.splice(0, made.length)
    out.forEach((text, i) => {
      if (text) text.text = made[i] as string
    })
    return out.filter((text) => text !== undefined)
  }
}

/** Enough context for word boundaries. */
const CONTEXT = 4_096
const none: readonly never[] = []
