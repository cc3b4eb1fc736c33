import type { StoreEvents } from './series-store.ts'

/** What a series must let the store write down about it. */
export interface UsedSeries {
  /** The number of the scrape it was last used before. */
  usedAt: number
}

/**
 * Series by the text of their labels: at most `limit`, and what would be more counts in one more series, under labels
 * that say `other`. Series that nobody used for long make room.
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

  constructor(limit: number, events: StoreEvents, make: () => T, overflowLabels: string) {
    this.#limit = limit
    this.#events = events
    this.#make = make
    this.#overflowLabels = overflowLabels
  }

  /** The series of these labels, or the one for all that are too many. */
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

  /** A series that somebody kept is used again. Those kept from before an eviction are not to be used. */
  used(series: T): T {
    series.usedAt = this.#scrapes
    return series
  }

  /** Whether a series may be kept, to be found without its labels. */
  isKept(series: T): boolean {
    return series !== this.#overflow
  }

  /** Somebody looks. */
  scraped(): void {
    this.#scrapes++
  }

  /** All of them, each with its labels. */
  *entries(): Generator<readonly [labels: string, series: T]> {
    yield* this.#series
    if (this.#overflow) yield [this.#overflowLabels, this.#overflow]
  }

  #hasRoom(): boolean {
    if (this.#series.size < this.#limit) return true
    // Looking for what can go takes a while, and nothing changes until the next scrape.
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

/** A series that nothing used for this many scrapes may make room for others. */
const SCRAPES_UNUSED = 60
