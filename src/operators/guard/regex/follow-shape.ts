import { type Hit, Searching } from '../../../protocols/pattern/search.ts'
import type { Shape } from './shape.ts'

/** Masks what has one shape in a text that comes in pieces. As many pieces come out as go in. */
export class ShapeFollower {
  readonly #mask: string
  readonly #searching: Searching
  #hasFound = false
  /** Where the pieces that are held end, counted from what is not decided. */
  #ends: number[] = []
  /** What the oldest of them has become so far. */
  #begun = ''

  constructor({ mask, stream }: Shape) {
    this.#mask = mask
    this.#searching = new Searching(stream)
  }

  /** Whether something of this shape has certainly been there. */
  get hasFound(): boolean {
    return this.#hasFound || this.#searching.hasFound
  }

  /** @returns What the oldest pieces have become. */
  push(piece: string): readonly string[] {
    const searching = this.#searching
    const hits = searching.push(piece, false)
    if (hits.length === 0 && this.#ends.length === 0 && searching.isDecided) {
      searching.settle()
      return [piece]
    }
    this.#ends.push(searching.text.length)
    return this.#release(hits)
  }

  /** Several of them, and perhaps the end of the text. */
  pushAll(pieces: readonly string[], isLast: boolean): readonly string[] {
    const released = pieces.flatMap((piece) => this.push(piece))
    return isLast ? [...released, ...this.#release(this.#searching.push('', true))] : released
  }

  #release(hits: readonly Hit[]): readonly string[] {
    const { text } = this.#searching
    const decided = this.#searching.settle()
    const released: string[] = []
    let done = 0
    for (const { start, end, begins } of hits) {
      this.#hasFound = true
      this.#advance(text, done, start, true, released)
      if (begins) this.#begun += this.#mask
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
      released.push(stays ? this.#begun + text.slice(done, end) : this.#begun)
      this.#begun = ''
      done = end
    }
    if (stays) this.#begun += text.slice(done, to)
  }
}
