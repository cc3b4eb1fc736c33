import type { Reason } from '../../../model/exchange/fault.ts'
import type { BackendLabels, RouteLabels } from '../../../model/resources/snapshot.ts'
import type { StoreEvents } from './bounded-series.ts'
import {
  BackendSeries,
  ExchangeSeries,
  overflowSeries,
  packOutcome,
  unpackOutcome,
} from './exchange-series.ts'
import type { HistogramFormat } from './histogram.ts'
import { SCRAPES_UNUSED } from './label-values.ts'

/**
 * The series of exchanges, found by the identity of the label objects, which are shared by all exchanges of a route.
 * Series outlive these objects: equal labels of the next snapshot lead to the same series.
 *
 * There are at most `limit`; further ones count under the label `overflow`.
 */
export class SeriesStore {
  readonly #limit: number
  readonly #events: StoreEvents
  readonly #format: HistogramFormat
  readonly #overflowCustom: string
  readonly #known = new WeakMap<RouteLabels, WeakMap<object, BackendSeries>>()
  readonly #backendSeries = new Map<string, BackendSeries>()
  #size = 0
  #scrapes = 0
  #sweptAt = -1
  #overflow: ExchangeSeries | undefined = undefined

  /** @param overflowCustom Configured labels of the series of what has no room, as text with a leading comma. */
  constructor(limit: number, events: StoreEvents, format: HistogramFormat, overflowCustom: string) {
    this.#limit = limit
    this.#events = events
    this.#format = format
    this.#overflowCustom = overflowCustom
  }

  /** The series of an exchange. `custom` are configured labels, as text with a leading comma. */
  series(
    route: RouteLabels,
    backend: BackendLabels | undefined,
    custom: string,
    method: string,
    status: number,
    reason: Reason | undefined,
  ): ExchangeSeries {
    const backendSeries = this.#backendSeriesOf(route, backend, custom)
    if (!backendSeries) return this.#overflowing()
    backendSeries.usedAt = this.#scrapes
    const packed = packOutcome(method, status, reason)
    const found = backendSeries.exchanges.get(packed)
    if (found) return found
    if (!this.#hasRoom()) return this.#overflowing()
    this.#size++
    const series = new ExchangeSeries(backendSeries.labelsOf(...unpackOutcome(packed)), backendSeries)
    backendSeries.exchanges.set(packed, series)
    return series
  }

  /** All series, by route and backend. */
  get backendSeries(): MapIterator<BackendSeries> {
    return this.#backendSeries.values()
  }

  /** Counts a scrape. */
  scraped(): void {
    this.#scrapes++
  }

  #backendSeriesOf(
    route: RouteLabels,
    backend: BackendLabels | undefined,
    custom: string,
  ): BackendSeries | undefined {
    const backendSeries = this.#plainSeries(route, backend)
    if (custom === '' || !backendSeries) return backendSeries
    const found = backendSeries.variants.get(custom)
    if (found?.isHeld) return found
    const variant = this.#add(backendSeries.variant(custom))
    if (variant) backendSeries.variants.set(custom, variant)
    return variant
  }

  #plainSeries(route: RouteLabels, backend: BackendLabels | undefined): BackendSeries | undefined {
    let backends = this.#known.get(route)
    if (!backends) this.#known.set(route, (backends = new WeakMap()))
    const found = backends.get(backend ?? noBackend)
    if (found?.isHeld) return found
    const backendSeries = this.#add(new BackendSeries(route, backend, this.#format))
    if (backendSeries) backends.set(backend ?? noBackend, backendSeries)
    return backendSeries
  }

  /** Stores new backend series, or returns the equal one from before a reload. */
  #add(backendSeries: BackendSeries): BackendSeries | undefined {
    const found = this.#backendSeries.get(backendSeries.labels)
    if (found) return found
    if (!this.#hasRoom()) return undefined
    this.#size++
    this.#backendSeries.set(backendSeries.labels, backendSeries)
    return backendSeries
  }

  #hasRoom(): boolean {
    if (this.#size < this.#limit) return true
    // A sweep is slow, and finds nothing new before the next scrape.
    if (this.#sweptAt === this.#scrapes) return false
    this.#sweptAt = this.#scrapes
    let evicted = 0
    for (const [labels, backendSeries] of this.#backendSeries) {
      if (this.#scrapes - backendSeries.usedAt < SCRAPES_UNUSED) continue
      this.#backendSeries.delete(labels)
      backendSeries.isHeld = false
      backendSeries.variants.clear()
      evicted += 1 + backendSeries.exchanges.size
    }
    this.#size -= evicted
    if (evicted > 0) this.#events.evicted(evicted)
    return evicted > 0
  }

  #overflowing(): ExchangeSeries {
    this.#events.overflowed()
    if (this.#overflow) return this.#overflow
    this.#overflow = overflowSeries(this.#format, this.#overflowCustom)
    this.#backendSeries.set(this.#overflow.backendSeries.labels, this.#overflow.backendSeries)
    return this.#overflow
  }
}

const noBackend = {}
