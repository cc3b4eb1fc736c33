/** How the values that several processes report for one series become one value. */
export type MergeRule = 'sum' | 'max' | 'min' | 'first'

/** The description of a metric in `/metrics`. */
export interface MetricDefinition {
  /** Without the `_total` of counter samples and the `_info` of info samples. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds; histograms only. */
  readonly buckets?: readonly number[]
  /** Counters and histograms add up. */
  readonly merge: MergeRule
}

/** A counter. */
export const counterOf = (name: string, help: string, labels: readonly string[] = []) =>
  ({ name, type: 'counter', help, labels, merge: 'sum' }) as const

/**
 * A gauge.
 *
 * @param merge How the gauges of several processes become one.
 */
export const gaugeOf = (name: string, help: string, merge: MergeRule, labels: readonly string[] = []) =>
  ({ name, type: 'gauge', help, labels, merge }) as const

/** A gauge that is always 1: its labels are the information. */
export const infoOf = (name: string, help: string, labels: readonly string[]) =>
  ({ name, type: 'info', help, labels, merge: 'first' }) as const

/** A histogram. `buckets` are the upper bounds of the classic ones. */
export const histogramOf = (
  name: string,
  help: string,
  labels: readonly string[],
  buckets: readonly number[],
) => ({ name, type: 'histogram', help, labels, buckets, merge: 'sum' }) as const

/** Labels of the route of a request. */
export const routeLabelNames = ['bind', 'gateway', 'listener', 'route', 'route_rule'] as const

/** Buckets of requests and calls, in seconds. */
export const requestBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 80,
] as const
