import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsReport } from '../../../../src/admin/reports/metrics-report.ts'
import { emptyBody } from '../../../../src/model/exchange/body.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { Reply } from '../../../../src/model/exchange/reply.ts'
import { Metrics, type MetricsOptions } from '../../../../src/sinks/metrics/metrics.ts'
import { mergeReports } from '../../../../src/sinks/metrics/report/merge-reports.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { openMetricsText } from '../../../support/metrics-text.ts'

/** Metrics of a process that has ended requests of these durations, with `route` as their route. */
const metricsAfter = (
  durationsMs: readonly number[],
  route: string,
  options: Partial<MetricsOptions> = {},
  traceparent?: string,
) => {
  const metrics = new Metrics({ tag: '1', histograms: 'both', ...options })
  for (const ms of durationsMs) {
    const labels = { bind: 'b', gateway: 'g', listener: 'l', route, routeRule: undefined }
    const x = exchange({ labels, ...(traceparent !== undefined && { headers: { traceparent } }) })
    x.reply = new Reply(200, new Headers(), emptyBody, 'Upstream')
    x.downstream.committed = true
    // Whole numbers: a difference of other times may be a little more than 10 ms, and in another bucket.
    Object.assign(x.request, { startedAt: 1_000 })
    x.downstream.endedAt = 1_000 + ms
    metrics.ended(x)
  }
  return metrics
}

test('the reports of two processes', async (t) => {
  const traced = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const one = metricsAfter([10, 200, 0], 'both', {
    sources: { exchangesInFlight: () => 2, eventLoopLagSeconds: () => 0.5 },
  })
  const two = metricsAfter(
    [10],
    'both',
    { sources: { exchangesInFlight: () => 3, eventLoopLagSeconds: () => 0.1 } },
    traced,
  )
  const three = metricsAfter([5], 'second')
  one.configSynchronized(true)
  two.configSynchronized(false)
  three.configSynchronized(true)
  one.evicted('tokens', 2)
  two.evicted('tokens', 3)
  const first = metricsReport(one)
  // As they come from another process.
  const reports = await Promise.all([
    first.collect(),
    metricsReport(two).collect(),
    metricsReport(three).collect(),
  ])
  const merged = first.merge(structuredClone(reports))
  const text = openMetricsText(merged)
  const value = (series: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(series))
      ?.split(' # ')[0]
      ?.split(' ')
      .at(-1)
  const labels = (route: string) =>
    `{backend="unknown",protocol="unknown",method="GET",status="200",reason="Upstream",bind="b",gateway="g",listener="l",route="${route}",route_rule="unknown"}`

  await t.test('add up counters and histograms of equal labels', () => {
    assert.equal(value(`agentgateway_requests_total${labels('both')}`), '4')
    assert.equal(value(`agentgateway_requests_total${labels('second')}`), '1')
    assert.equal(value('agentgateway_evictions_total{cache="tokens"}'), '5')
    const buckets = text
      .split('\n')
      .filter((line) => /^agentgateway_request_duration_seconds_bucket.*route="both"/.test(line))
    const byBound = new Map(
      buckets.map((line) => [/le="(.+?)"/.exec(line)?.[1], line.split(' # ')[0]?.split(' ').at(-1)]),
    )
    assert.deepEqual(
      [byBound.get('0.001'), byBound.get('0.01'), byBound.get('0.25'), byBound.get('+Inf')],
      ['1', '3', '4', '4'],
    )
    assert.equal(
      Number(value(`agentgateway_request_duration_seconds_sum${labels('both')}`)).toFixed(3),
      '0.220',
    )
    assert.match(String(buckets), /le="0\.01".*? 3 # \{trace_id="0af7651916cd43dd8448eb211c80319c"\} 0\.01/)
  })

  await t.test('add up native buckets', () => {
    const series = merged
      .filter(({ name }) => name === 'agentgateway_request_duration_seconds')
      .flatMap((part) => part.series)
      .find(({ labels: text }) => text.includes('route="both"'))
    assert.ok(series && 'native' in series)
    assert.deepEqual(series.native, {
      schema: 3,
      zeroCount: 1,
      buckets: [
        [-53, 2],
        [-18, 1],
      ],
    })
  })

  await t.test('merge gauges by their rule', () => {
    assert.equal(value('agentgateway_exchanges_in_flight'), '5')
    assert.equal(value('agentgateway_event_loop_lag_seconds'), '0.5')
    assert.equal(value('agentgateway_config_synchronized'), '0')
    assert.equal(value('agentgateway_build_info'), '1')
  })

  await t.test('describe each family once, with its series together', () => {
    const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    assert.equal(new Set(families).size, families.length)
  })

  await t.test('of a single process are that report', () => {
    const [report] = reports
    assert.equal(mergeReports([report]), report)
    assert.deepEqual(mergeReports([]), [])
  })
})
