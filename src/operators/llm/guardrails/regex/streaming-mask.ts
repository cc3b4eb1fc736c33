import type { TextFollower } from '../guard.ts'
import { type MaskPattern, maskText, occurs } from './pattern.ts'
import type { GuardRejection, RegexGuard } from '../schema/normal-form.ts'
import { type Hit, StreamSearch } from '../../../../protocols/pattern/stream-search.ts'

/** Checks a text incrementally with all rules of a guard: each gets the result of the one before it. */
export const followText = (
  patterns: readonly MaskPattern[],
  action: RegexGuard['action'],
  rejection: GuardRejection,
): TextFollower => {
  const followers = patterns.map((pattern) => new StreamingMask(pattern))
  const rejects = action === 'reject'
  const only = followers.length === 1 ? followers[0] : undefined

  const through = (pieces: readonly string[], isLast: boolean): readonly string[] | 'reject' => {
    let left = pieces
    for (const follower of followers) {
      left = left.length === 1 && !isLast ? follower.push(left[0] as string) : follower.pushAll(left, isLast)
      if (rejects && follower.hasFound) return 'reject'
      if (left.length === 0 && !isLast) break
    }
    return left
  }
  const push = (piece: string) => {
    if (!only) return through([piece], false)
    const released = only.push(piece)
    return rejects && only.hasFound ? 'reject' : released
  }
  const whole = (text: string): readonly [string] | 'reject' => {
    if (rejects) return patterns.some((pattern) => occurs(pattern, text)) ? 'reject' : [text]
    return [patterns.reduce((left, pattern) => maskText(pattern, left), text)]
  }
  return { push, end: () => through([], true), whole, rejection }
}

/** Masks the matches of one pattern in a text that is received in pieces. As many pieces come out as go in. */
export class StreamingMask {
  readonly #mask: string
  readonly #search: StreamSearch
  #hasFound = false
  /** Ends of the buffered pieces, relative to the beginning of the undecided text. */
  #ends: number[] = []
  /** The decided part of the oldest buffered piece. */
  #prefix = ''

  constructor({ mask, stream }: MaskPattern) {
    this.#mask = mask
    this.#search = new StreamSearch(stream)
  }

  /** Whether there has been a match. */
  get hasFound(): boolean {
    return this.#hasFound || this.#search.hasFound
  }

  /** @returns The oldest pieces, masked. */
  push(piece: string): readonly string[] {
    const search = this.#search
    const hits = search.push(piece, false)
    if (hits.length === 0 && this.#ends.length === 0 && search.isDecided) {
      search.dropDecided()
      return [piece]
    }
    this.#ends.push(search.text.length)
    return this.#release(hits)
  }

  /** Several pieces, and perhaps the end of the text. */
  pushAll(pieces: readonly string[], isLast: boolean): readonly string[] {
    const released = pieces.flatMap((piece) => this.push(piece))
    return isLast ? [...released, ...this.#release(this.#search.push('', true))] : released
  }

  #release(hits: readonly Hit[]): readonly string[] {
    const { text } = this.#search
    const decided = this.#search.dropDecided()
    const released: string[] = []
    let done = 0
    for (const { start, end, begins } of hits) {
      this.#hasFound = true
      this.#advance(text, done, start, true, released)
      if (begins) this.#prefix += this.#mask
      this.#advance(text, start, end, false, released)
      done = end
    }
    this.#advance(text, done, decided, true, released)
    for (let i = 0; i < this.#ends.length; i++) this.#ends[i] = (this.#ends[i] as number) - decided
    return released
  }

  /** Decides a part of the text, and releases each piece that ends in it. */
  #advance(text: string, from: number, to: number, stays: boolean, released: string[]): void {
    let done = from
    while (this.#ends.length > 0 && (this.#ends[0] as number) <= to) {
      const end = this.#ends.shift() as number
      released.push(stays ? this.#prefix + text.slice(done, end) : this.#prefix)
      this.#prefix = ''
      done = end
    }
    if (stays) this.#prefix += text.slice(done, to)
  }
}
