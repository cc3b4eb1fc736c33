import type { OpenMetricsContentType, Registry } from 'prom-client'
import type { MergeRule } from './definitions/metric-definition.ts'
import { labelText } from './exposition/label-text.ts'
import type { FamilyPart, SeriesReport } from './report/metrics-report.ts'

/** A metric of a prom-client registry, as `getMetricsAsJSON` returns it. */
interface HostMetric {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly aggregator: string
  readonly values: readonly HostValue[]
}

interface HostValue {
  readonly value: number
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number | undefined>>
}

/** The metrics that a host program has registered with prom-client. */
export const hostParts = async (registry: Registry<OpenMetricsContentType>): Promise<FamilyPart[]> => {
  const metrics = (await registry.getMetricsAsJSON()) as unknown as readonly HostMetric[]
  return metrics.map(({ name, help, type, aggregator, values }) => {
    const family = familyType(type)
    return {
      name: family === 'counter' ? name.replace(/_total$/, '') : name,
      type: family,
      help,
      merge: rules.get(aggregator) ?? 'sum',
      series:
        family === 'histogram' || family === 'summary'
          ? grouped(name, values).map(family === 'histogram' ? histogramSeries : summarySeries)
          : values.map(({ labels, value }) => ({ labels: textOf(labels), value })),
    }
  })
}

const familyType = (type: unknown): FamilyPart['type'] =>
  type === 'counter' || type === 'gauge' || type === 'histogram' || type === 'summary' ? type : 'unknown'

const rules: ReadonlyMap<string, MergeRule> = new Map([
  ['min', 'min'],
  ['max', 'max'],
  ['first', 'first'],
])

/** Samples of one histogram or summary. */
interface Samples {
  readonly labels: string
  count: number
  sum: number
  /** Bucket bound and cumulative count, or quantile and value. */
  readonly points: [at: number, value: number][]
}

const grouped = (name: string, values: readonly HostValue[]): Samples[] => {
  const byLabels = new Map<string, Samples>()
  for (const { labels, value, metricName = name } of values) {
    const { le, quantile, ...own } = labels
    const key = textOf(own)
    let samples = byLabels.get(key)
    if (!samples) byLabels.set(key, (samples = { labels: key, count: 0, sum: 0, points: [] }))
    if (metricName === `${name}_count`) samples.count = value
    else if (metricName === `${name}_sum`) samples.sum = value
    else samples.points.push([le === '+Inf' ? Infinity : Number(le ?? quantile), value])
  }
  return [...byLabels.values()]
}

const histogramSeries = ({ labels, count, sum, points }: Samples): SeriesReport => {
  const finite = points.filter(([bound]) => bound !== Infinity).toSorted(([a], [b]) => a - b)
  const cumulative = [...finite.map(([, value]) => value), count]
  return {
    labels,
    count,
    sum,
    bounds: finite.map(([bound]) => bound),
    counts: cumulative.map((value, i) => value - (cumulative[i - 1] ?? 0)),
  }
}

const summarySeries = ({ labels, count, sum, points }: Samples): SeriesReport => ({
  labels,
  count,
  sum,
  quantiles: points,
})

const textOf = (labels: HostValue['labels']): string =>
  labelText(
    Object.keys(labels),
    Object.values(labels).map((value) => (value === undefined ? undefined : String(value))),
  )
