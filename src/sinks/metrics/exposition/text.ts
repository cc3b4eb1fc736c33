import { isHistogram, isValue } from '../report/merge-reports.ts'
import type {
  Exemplar,
  FamilyPart,
  HistogramReport,
  SeriesReport,
  SummaryReport,
} from '../report/metrics-report.ts'

/** The text formats: OpenMetrics 1.0, and that of Prometheus, version 0.0.4. */
export type TextFormat = 'openMetrics' | 'prometheus'

/**
 * A report as text, series by series.
 *
 * OpenMetrics names a counter without the `_total` of its samples, has units and exemplars, and ends with `# EOF`; in
 * the format of Prometheus the metadata has the names of the samples, and an info is a gauge. Neither has `_created`:
 * counters begin with the process, whose start is a metric.
 */
export function* metricsText(report: Iterable<FamilyPart>, format: TextFormat): Generator<string> {
  const isOpenMetrics = format === 'openMetrics'
  let described = ''
  for (const part of report) {
    if (part.name !== described) yield isOpenMetrics ? openMetricsHead(part) : prometheusHead(part)
    described = part.name
    const name = part.name + (suffixes.get(part.type) ?? '')
    for (const series of part.series) yield samples(name, series, isOpenMetrics)
  }
  if (isOpenMetrics) yield '# EOF\n'
}

const suffixes: ReadonlyMap<FamilyPart['type'], string> = new Map([
  ['counter', '_total'],
  ['info', '_info'],
])

const openMetricsHead = ({ name, help, type }: FamilyPart): string => {
  const unit = /_(seconds|bytes)$/.exec(name)?.[1]
  const described = escapedHelp(help).replaceAll('"', '\\"')
  return `# HELP ${name} ${described}\n# TYPE ${name} ${type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}`
}

const prometheusHead = ({ name, help, type }: FamilyPart): string => {
  const full = name + (suffixes.get(type) ?? '')
  const known = type === 'info' ? 'gauge' : type === 'unknown' ? 'untyped' : type
  return `# HELP ${full} ${escapedHelp(help)}\n# TYPE ${full} ${known}\n`
}

const escapedHelp = (help: string): string => help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

const samples = (name: string, series: SeriesReport, withExemplars: boolean): string => {
  if (isValue(series)) return sample(name, series.labels, series.value)
  if (isHistogram(series)) return histogramSamples(name, series, withExemplars)
  return summarySamples(name, series)
}

const sample = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${number(value)}\n` : `${name}{${labels}} ${number(value)}\n`

/** Of a histogram with native buckets only, the text has count, sum and the last bucket. */
const histogramSamples = (
  name: string,
  { labels, count, sum, bounds, counts, exemplars }: HistogramReport,
  withExemplars: boolean,
): string => {
  const after = labels === '' ? '' : `,${labels}`
  let text = sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, count)
  let cumulative = 0
  for (const [i, one] of counts.entries()) {
    cumulative += one
    const bound = bounds[i]
    const exemplar = withExemplars ? exemplarText(exemplars?.[i]) : ''
    text += `${name}_bucket{le="${bound === undefined ? '+Inf' : boundText(bound)}"${after}} ${cumulative}${exemplar}\n`
  }
  return text
}

const exemplarText = (exemplar: Exemplar | undefined): string =>
  exemplar === undefined
    ? ''
    : ` # {trace_id="${exemplar.traceId}"} ${number(exemplar.value)} ${exemplar.atSeconds.toFixed(3)}`

const summarySamples = (name: string, { labels, count, sum, quantiles }: SummaryReport): string => {
  const after = labels === '' ? '' : `,${labels}`
  const points = quantiles.map(
    ([quantile, value]) => `${name}{quantile="${boundText(quantile)}"${after}} ${number(value)}\n`,
  )
  return points.join('') + sample(`${name}_sum`, labels, sum) + sample(`${name}_count`, labels, count)
}

/** A bucket bound as text, always with a fraction, so that equal bounds have equal texts in every format. */
const boundText = (bound: number): string => {
  const text = bound < 0.0001 ? bound.toFixed(5) : String(bound)
  return text.includes('.') ? text : `${text}.0`
}

const number = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
