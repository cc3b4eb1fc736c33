import { OVERFLOW } from '../exposition/label-text.ts'

/** Receives the name of a label whose value was replaced. */
export type OnLabelOverflow = (label: string) => void

/**
 * Bounds the values of a label that clients or expressions choose. Beyond the limit values become `overflow`; those
 * unused for {@link SCRAPES_UNUSED} scrapes are forgotten to make room.
 */
export class LabelValues {
  readonly #label: string
  readonly #limit: number
  readonly #onOverflow: OnLabelOverflow
  /** Each value and the scrape of its last use. */
  readonly #values = new Map<string, number>()
  #scrapes = 0
  #sweptAt = -1

  constructor(label: string, limit: number, onOverflow: OnLabelOverflow) {
    this.#label = label
    this.#limit = limit
    this.#onOverflow = onOverflow
  }

  /** The value, or `overflow`. */
  admit(value: string): string {
    if (!this.#values.has(value) && !this.#hasRoom()) {
      this.#onOverflow(this.#label)
      return OVERFLOW
    }
    this.#values.set(value, this.#scrapes)
    return value
  }

  /** Whether a value is among the labels. */
  has(value: string): boolean {
    return this.#values.has(value)
  }

  /** Counts a scrape. */
  scraped(): void {
    this.#scrapes++
  }

  #hasRoom(): boolean {
    if (this.#values.size < this.#limit) return true
    // A sweep is slow, and finds nothing new before the next scrape.
    if (this.#sweptAt === this.#scrapes) return false
    this.#sweptAt = this.#scrapes
    for (const [value, usedAt] of this.#values)
      if (this.#scrapes - usedAt >= SCRAPES_UNUSED) this.#values.delete(value)
    return this.#values.size < this.#limit
  }
}

/** Scrapes without use after which a series or a label value may be evicted. */
export const SCRAPES_UNUSED = 60
