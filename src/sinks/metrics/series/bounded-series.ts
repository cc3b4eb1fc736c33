import { overflowLabels } from '../exposition/label-text.ts'
import { SCRAPES_UNUSED } from './label-values.ts'

/** Receives events of a full store. */
export interface StoreEvents {
  evicted(count: number): void
  overflowed(): void
}

/** State that the store keeps in a series. */
export interface UsedSeries {
  /** The number of scrapes before its last use. */
  usedAt: number
}

/**
 * Series by the text of their labels: at most `limit`; further label sets share one more series, with labels `overflow`.
 * Series unused for long are evicted to make room.
 */
export class BoundedSeries<T extends UsedSeries> {
  readonly #limit: number
  readonly #events: StoreEvents
  readonly #make: () => T
  readonly #overflowLabels: string
  readonly #series = new Map<string, T>()
  #overflow: T | undefined = undefined
  #scrapes = 0
  #sweptAt = -1

  /** @param labels The names of the labels. */
  constructor(limit: number, events: StoreEvents, make: () => T, labels: readonly string[]) {
    this.#limit = limit
    this.#events = events
    this.#make = make
    this.#overflowLabels = overflowLabels(labels)
  }

  /** The series of these labels, or the overflow series. */
  get(labels: string): T {
    const found = this.#series.get(labels)
    if (found) return this.used(found)
    if (!this.#hasRoom()) {
      this.#events.overflowed()
      return (this.#overflow ??= this.#make())
    }
    const made = this.#make()
    this.#series.set(labels, made)
    return this.used(made)
  }

  /** Marks a cached series as used. A series cached before an eviction must not be used. */
  used(series: T): T {
    series.usedAt = this.#scrapes
    return series
  }

  /** Whether a series may be cached by the caller. */
  isKept(series: T): boolean {
    return series !== this.#overflow
  }

  /** Counts a scrape. */
  scraped(): void {
    this.#scrapes++
  }

  /** All series with their labels. */
  *entries(): Generator<readonly [labels: string, series: T]> {
    yield* this.#series
    if (this.#overflow) yield [this.#overflowLabels, this.#overflow]
  }

  #hasRoom(): boolean {
    if (this.#series.size < this.#limit) return true
    // A sweep is slow, and finds nothing new before the next scrape.
    if (this.#sweptAt === this.#scrapes) return false
    this.#sweptAt = this.#scrapes
    let evicted = 0
    for (const [labels, series] of this.#series) {
      if (this.#scrapes - series.usedAt < SCRAPES_UNUSED) continue
      this.#series.delete(labels)
      evicted++
    }
    if (evicted > 0) this.#events.evicted(evicted)
    return evicted > 0
  }
}
