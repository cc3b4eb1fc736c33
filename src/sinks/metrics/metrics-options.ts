import type { Redaction } from '../../model/trace/redact.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { RawSession } from '../../model/exchange/raw-session.ts'
import type { CustomLabel } from './series/added-labels.ts'
import type { MetricSources } from './process/gauge-parts.ts'
import type { HistogramFormat } from './series/histogram.ts'

/** Options of the metrics. */
export interface MetricsOptions {
  /** The running version. */
  readonly tag: string
  /** Metrics to omit; prefix, `_total` and unit may be left out. */
  readonly remove?: readonly string[]
  /** Additional labels of exchange metrics. */
  readonly add?: readonly CustomLabel[]
  /** Those that its frontend policies add; the same list for the same policy. They replace equal ones of `add`. */
  readonly addOf?: (x: Exchange | RawSession) => readonly CustomLabel[] | undefined
  readonly sources?: MetricSources
  /** Redacts credentials in added labels; the default covers the usual headers. */
  readonly redaction?: Redaction
  /** Maximum number of exchange series; further ones count under the label `overflow`. Default 20,000. */
  readonly maxSeries?: number
  /** Maximum number of values of each added label; further ones become `overflow`. Default 1,000. */
  readonly maxLabelValues?: number
  /** Which buckets histograms have. Default `classic`. */
  readonly histograms?: HistogramFormat
}
