import type { MergeRule } from '../definitions/metric-definition.ts'
import { familyParts } from './family-parts.ts'
import { mergeHistograms } from './merge-histograms.ts'
import type {
  FamilyPart,
  HistogramReport,
  MetricsReport,
  SeriesReport,
  SummaryReport,
  ValueReport,
} from './metrics-report.ts'

/**
 * One report of several processes: counters and histograms of equal labels add up, gauges follow the rule of their
 * family. The quantiles of summaries cannot be merged and are left out; count and sum add up. The report of a single
 * process is returned as it is.
 *
 * It takes 1 µs a series, 5 with native buckets, without a pause: it belongs into a process without traffic.
 */
export const mergeReports = (reports: readonly MetricsReport[]): MetricsReport => {
  const [only] = reports
  if (only && reports.length === 1) return only
  const families = new Map<string, MergedFamily>()
  for (const report of reports) for (const part of report) mergePart(families, part)
  const merged: FamilyPart[] = []
  for (const { part, series } of families.values()) merged.push(...familyParts(part, series.values()))
  return merged
}

interface MergedFamily {
  readonly part: FamilyPart
  readonly series: Map<string, SeriesReport>
}

const mergePart = (families: Map<string, MergedFamily>, part: FamilyPart): void => {
  let family = families.get(part.name)
  if (!family) families.set(part.name, (family = { part, series: new Map<string, SeriesReport>() }))
  const { series } = family
  for (const one of part.series) {
    const other = series.get(one.labels)
    series.set(one.labels, other ? mergeSeries(part.merge, other, one) : one)
  }
}

const mergeSeries = (rule: MergeRule, a: SeriesReport, b: SeriesReport): SeriesReport => {
  if (isValue(a) && isValue(b)) return { labels: a.labels, value: mergedValue[rule](a.value, b.value) }
  if (isHistogram(a) && isHistogram(b)) return mergeHistograms(a, b)
  if (isSummary(a) && isSummary(b))
    return { labels: a.labels, count: a.count + b.count, sum: a.sum + b.sum, quantiles: [] }
  return a
}

const mergedValue: Readonly<Record<MergeRule, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  max: (a, b) => Math.max(a, b),
  min: (a, b) => Math.min(a, b),
  first: (a) => a,
}

/** Whether a series has a single value. */
export const isValue = (series: SeriesReport): series is ValueReport => 'value' in series

/** Whether a series is a histogram. */
export const isHistogram = (series: SeriesReport): series is HistogramReport => 'bounds' in series

const isSummary = (series: SeriesReport): series is SummaryReport => 'quantiles' in series
