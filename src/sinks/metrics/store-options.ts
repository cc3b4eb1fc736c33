import type { StoreEvents } from './series/bounded-series.ts'
import type { HistogramFormat } from './series/histogram.ts'
import type { OnLabelOverflow } from './series/label-values.ts'

/** Bounds of the series of requests, and the format of their histograms. */
export interface StoreOptions {
  /** Maximum number of series. */
  readonly limit: number
  readonly events: StoreEvents
  readonly format: HistogramFormat
  /** Names of the configured labels. */
  readonly customNames: readonly string[]
  readonly onLabelOverflow: OnLabelOverflow
}
