import type { MergeRule } from '../definitions/metric-definition.ts'

/**
 * The metrics of a process as plain data, in an order fit for every exposition format. A family with many series comes
 * in several parts that follow one another, so that each part is made in little time.
 */
export type MetricsReport = readonly FamilyPart[]

/** A part of a metric family. */
export interface FamilyPart {
  /** Without the `_total` of counters and the `_info` of infos. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info' | 'summary' | 'unknown'
  readonly help: string
  readonly merge: MergeRule
  readonly series: readonly SeriesReport[]
}

/** One series. `labels` is the text between the braces, escaped; empty without labels. */
export type SeriesReport = ValueReport | HistogramReport | SummaryReport

/** The value of a counter, a gauge or an info. */
export interface ValueReport {
  readonly labels: string
  readonly value: number
}

/** A histogram: classic buckets, native ones, or both. */
export interface HistogramReport {
  readonly labels: string
  readonly count: number
  readonly sum: number
  /** Upper bounds of the classic buckets, without the last one, which has none. Empty if there are only native ones. */
  readonly bounds: readonly number[]
  /** Observations in each classic bucket, and one more for larger values. Not cumulative. */
  readonly counts: readonly number[]
  /** The latest observation of a sampled trace in each classic bucket. */
  readonly exemplars?: readonly (Exemplar | undefined)[]
  readonly native?: NativeReport
}

/** A quantile summary: metrics of a host program only. */
export interface SummaryReport {
  readonly labels: string
  readonly count: number
  readonly sum: number
  readonly quantiles: readonly (readonly [quantile: number, value: number])[]
}

/** An observation with the trace it belongs to. */
export interface Exemplar {
  readonly traceId: string
  readonly value: number
  /** When it was observed, in seconds since the epoch. */
  readonly atSeconds: number
}

/** Exponential buckets: bucket `i` ends at `2 ** (i / 2 ** schema)`, where the next one begins. */
export interface NativeReport {
  readonly schema: number
  /** Observations of at most the zero threshold. */
  readonly zeroCount: number
  /** Index and number of observations, by ascending index. */
  readonly buckets: readonly (readonly [index: number, count: number])[]
}
