import { drained } from './await-drain.ts'
import type { AdminCall, AdminEndpoint } from './endpoint.ts'
import { inSlices } from './time-slicing.ts'
import { nextTurn } from './next-turn.ts'

/**
 * `/metrics` and `/stats/prometheus`: the metrics as OpenMetrics text, for any method.
 *
 * @param lines The text in small parts; written in slices, because many routes make many lines.
 */
export const statsEndpoints = (lines: () => Iterable<string> | Promise<Iterable<string>>): AdminEndpoint[] =>
  ['/metrics', '/stats/prometheus'].map((path) => ({
    path,
    methods: [],
    summary: 'metrics as OpenMetrics text',
    handle: async (call) => {
      await nextTurn()
      if (!call.res.destroyed) await sendMetrics(call, await lines())
    },
  }))

const sendMetrics = async ({ req, res }: AdminCall, lines: Iterable<string>): Promise<void> => {
  const isOpenMetrics = req.headers.accept?.includes('application/openmetrics-text') ?? false
  res.writeHead(200, { 'content-type': isOpenMetrics ? openMetricsType : 'text/plain;charset=utf-8' })
  if (req.method === 'HEAD') return void res.end()
  for await (const text of inSlices(lines)) {
    if (res.destroyed) return
    if (!res.write(text)) await drained(res)
  }
  res.end()
}

const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
