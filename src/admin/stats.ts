import { type ExpositionFormat, negotiateFormat } from '../sinks/metrics/exposition/negotiate-format.ts'
import { metricsText } from '../sinks/metrics/exposition/text.ts'
import type { MetricsReport } from '../sinks/metrics/report/metrics-report.ts'
import { drained } from './server/await-drain.ts'
import type { AdminCall, AdminEndpoint } from './endpoint.ts'
import { coalesced } from './coalesced.ts'
import { nextTurn } from '../model/event-loop/next-turn.ts'
import { type ProcessReport, readReport } from './process-report.ts'
import { slicesOf } from '../model/event-loop/time-slicing.ts'

/**
 * `/metrics` and `/stats/prometheus`: the metrics in the format of `Accept`, for any method. The report is collected
 * and written in slices, because many routes make many lines.
 */
export const statsEndpoints = (report: ProcessReport<MetricsReport>): AdminEndpoint[] => {
  // Many callers do not need many reports.
  const shared = coalesced(() => readReport(report))
  return ['/metrics', '/stats/prometheus'].map((path) => ({
    path,
    methods: [],
    summary: 'metrics as OpenMetrics text, Prometheus text or protobuf',
    parameters: 'ignored',
    handle: async (call) => {
      const format = negotiateFormat(call.req.headers.accept)
      const head = { 'content-type': format.contentType, vary: 'accept' }
      if (call.req.method === 'HEAD') {
        call.res.writeHead(200, head)
        return void call.res.end()
      }
      await nextTurn()
      if (call.res.destroyed) return
      const parts = await encode(await shared(), format)
      await sendMetrics(call, head, parts)
    },
  }))
}

/** The encoder of protobuf is loaded for the first caller that accepts it. */
const encode = async (
  metrics: MetricsReport,
  { encoding }: ExpositionFormat,
): Promise<Iterable<string | Uint8Array>> => {
  if (encoding !== 'protobuf') return metricsText(metrics, encoding)
  const { metricsProtobuf } = await import('../sinks/metrics/exposition/protobuf.ts')
  return metricsProtobuf(metrics)
}

const sendMetrics = async (
  { res }: AdminCall,
  head: Readonly<Record<string, string>>,
  parts: Iterable<string | Uint8Array>,
): Promise<void> => {
  res.writeHead(200, head)
  const deadline = setTimeout(() => res.destroy(), SCRAPE_LIMIT_MS).unref()
  try {
    for await (const slice of slicesOf(parts, ({ length }) => length)) {
      if (res.destroyed) return
      if (!res.write(joined(slice))) await drained(res)
    }
    res.end()
  } finally {
    clearTimeout(deadline)
  }
}

/** A reader that takes longer is cut off: its report is kept until it has all of it. */
const SCRAPE_LIMIT_MS = 60_000

const joined = (slice: readonly (string | Uint8Array)[]): string | Buffer => {
  const isText = (part: string | Uint8Array): part is string => typeof part === 'string'
  return slice.every(isText)
    ? slice.join('')
    : Buffer.concat(slice.filter((part): part is Uint8Array => !isText(part)))
}
