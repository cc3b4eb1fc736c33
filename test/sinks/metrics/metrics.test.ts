import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gauge } from 'prom-client'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { deny, Reply } from '../../../src/model/exchange/reply.ts'
import type { BackendLabels, RouteLabels } from '../../../src/model/resources/snapshot.ts'
import { Metrics, type MetricsOptions } from '../../../src/sinks/metrics/metrics.ts'
import { metricDefinitions } from '../../../src/sinks/metrics/definitions/metric-definitions.ts'
import { metricsProtobuf } from '../../../src/sinks/metrics/exposition/protobuf.ts'
import { metricsText } from '../../../src/sinks/metrics/exposition/text.ts'
import { exchange, type ExchangeOverrides } from '../../../src/testing/exchange.ts'
import { openMetricsText } from '../../support/metrics-text.ts'
import { endedRawSession } from '../../support/raw-session.ts'

const labels: RouteLabels = {
  bind: 'bind/3000',
  gateway: 'default/default',
  listener: 'main',
  route: 'default/files',
  routeRule: undefined,
}
const backend: BackendLabels = { name: '/files/backend0', type: 'static', protocol: 'http' }
const place =
  'backend="/files/backend0",bind="bind/3000",gateway="default/default",listener="main",' +
  'route="default/files",route_rule="unknown"'

/**
 * A proxied exchange: 2 ms until the call, 20 ms upstream, 1 ms to the client, 90 ms in total, not at a bucket
 * boundary.
 */
const proxied = (overrides: ExchangeOverrides = {}, change: (x: Exchange) => void = () => undefined) => {
  const x = exchange({ labels, ...overrides })
  const { startedAt } = x.request
  x.upstream.backend = backend
  x.reply = new Reply(200, new Headers(), emptyBody, 'Upstream')
  x.downstream.committed = true
  x.upstream.attempts = 1
  x.downstream.sentBytes = 1000
  x.upstream.firstStartedAt = x.upstream.startedAt = startedAt + 2
  x.upstream.respondedAt = startedAt + 22
  x.downstream.committedAt = startedAt + 23
  x.downstream.endedAt = startedAt + 90
  change(x)
  return x
}

const make = (options: Partial<MetricsOptions> = {}) => new Metrics({ tag: '1.2.3', ...options })
const textOf = async (metrics: Metrics) => openMetricsText(await metrics.parts())
const linesOf = async (metrics: Metrics, start: string) =>
  (await textOf(metrics)).split('\n').filter((line) => line.startsWith(start))
/** Sums may differ in the last digits. */
const rounded = (lines: readonly string[]) =>
  lines.map((line) => line.replace(/ [\d.e-]+$/, (number) => ` ${Number(Number(number).toFixed(9))}`))

test('metrics of exchanges', async (t) => {
  await t.test('count requests, retries and bytes by route, backend and outcome', async () => {
    const metrics = make()
    for (const attempts of [1, 3]) metrics.ended(proxied({}, (x) => (x.upstream.attempts = attempts)))
    const series =
      '{backend="/files/backend0",protocol="http",method="GET",status="200",reason="Upstream",bind="bind/3000",' +
      'gateway="default/default",listener="main",route="default/files",route_rule="unknown"}'
    assert.deepEqual(await linesOf(metrics, 'agentgateway_requests_total'), [
      `agentgateway_requests_total${series} 2`,
    ])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_retries_total'), [
      `agentgateway_retries_total${series} 2`,
    ])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_response_bytes_total'), [
      `agentgateway_response_bytes_total${series} 2000`,
    ])
  })

  await t.test('measure the total, and the gateway’s own part before and after the upstream', async () => {
    const metrics = make()
    metrics.ended(proxied())
    const duration = await linesOf(metrics, 'agentgateway_request_duration_seconds')
    assert.match(rounded(duration)[0] ?? '', /_sum\{.*\} 0\.09$/)
    assert.match(duration[1] ?? '', /_count\{.*\} 1$/)
    const counts = duration.slice(2).map((line) => /le="(.+?)",.*\} (\d+)$/.exec(line)?.slice(1).join(' '))
    assert.deepEqual(counts, [
      ...['0.001 0', '0.005 0', '0.01 0', '0.025 0', '0.05 0', '0.1 1', '0.25 1', '0.5 1', '1.0 1', '2.5 1'],
      ...['5.0 1', '10.0 1', '30.0 1', '80.0 1', '+Inf 1'],
    ])
    const before = rounded(await linesOf(metrics, 'agentgateway_request_processing_seconds'))
    assert.equal(before[0], `agentgateway_request_processing_seconds_sum{${place}} 0.002`)
    assert.equal(before[2], `agentgateway_request_processing_seconds_bucket{le="0.00005",${place}} 0`)
    const after = rounded(await linesOf(metrics, 'agentgateway_response_processing_seconds'))
    assert.equal(after[0], `agentgateway_response_processing_seconds_sum{${place}} 0.001`)
    const call = rounded(await linesOf(metrics, 'agentgateway_upstream_call_duration_seconds'))
    assert.equal(
      call[0],
      'agentgateway_upstream_call_duration_seconds_sum{kind="Primary",subtype="Http"} 0.02',
    )
  })

  await t.test('have the label unknown for what an exchange did not reach', async () => {
    const metrics = make()
    const bare = {
      bind: 'bind/1',
      gateway: undefined,
      listener: undefined,
      route: undefined,
      routeRule: undefined,
    }
    const gone = exchange({ labels: bare })
    gone.downstream.endedAt = gone.request.startedAt + 1
    metrics.ended(gone)
    const refused = exchange({ labels: bare, reply: deny(404, 'listener_not_found') })
    refused.downstream.committed = true
    metrics.ended(refused)
    metrics.refused(bare, 400)
    const end = 'bind="bind/1",gateway="unknown",listener="unknown",route="unknown",route_rule="unknown"} 1'
    assert.deepEqual(await linesOf(metrics, 'agentgateway_requests_total'), [
      `agentgateway_requests_total{backend="unknown",protocol="unknown",method="GET",status="unknown",reason="unknown",${end}`,
      `agentgateway_requests_total{backend="unknown",protocol="unknown",method="GET",status="404",reason="NotFound",${end}`,
      `agentgateway_requests_total{backend="unknown",protocol="unknown",method="unknown",status="400",reason="InvalidRequest",${end}`,
    ])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_upstream_call'), [])
  })

  await t.test('count raw connections as requests without method and status', async () => {
    const metrics = make({
      add: [
        { name: 'both', value: () => 'http', rawValue: ({ endpoint }) => endpoint },
        { name: 'one', value: () => 'http' },
      ],
    })
    metrics.rawEnded(endedRawSession())
    const [backend, none] = ['backend="b"', 'backend="unknown"'].map(
      (name) => `${name},protocol="tcp",method="unknown",status="unknown"`,
    )
    const where =
      'bind="tcp",gateway="default/default",listener="listener0",route="default/raw",route_rule="unknown"'
    const custom = 'both="127.0.0.1:5432",one="unknown"'
    const series = `{${backend},reason="Upstream",${where},${custom}}`
    assert.deepEqual(await linesOf(metrics, 'agentgateway_requests_total'), [
      `agentgateway_requests_total${series} 1`,
    ])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_response_bytes_total'), [
      `agentgateway_response_bytes_total${series} 1000`,
    ])
    const duration = await linesOf(metrics, 'agentgateway_request_duration_seconds')
    assert.equal(rounded(duration)[0], `agentgateway_request_duration_seconds_sum${series} 0.0129`)
    metrics.rawEnded(endedRawSession({ backend: undefined, upstreamStartedAt: 0, reason: 'NotFound' }))
    assert.match(
      String(await linesOf(metrics, 'agentgateway_requests_total')),
      new RegExp(`\\{${none},reason="NotFound"`),
    )
    const processing = await linesOf(metrics, 'agentgateway_request_processing_seconds_count')
    assert.deepEqual(processing, [
      `agentgateway_request_processing_seconds_count{backend="b",${where},${custom}} 1`,
    ])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_response_processing_seconds'), [])
  })

  await t.test('continue the same series after a reload', async () => {
    const metrics = make()
    metrics.ended(proxied())
    metrics.ended(proxied({ labels: { ...labels } }, (x) => (x.upstream.backend = { ...backend })))
    assert.equal((await linesOf(metrics, 'agentgateway_requests_total')).length, 1)
  })

  await t.test('have user labels, escaped and bounded', async () => {
    const values: unknown[] = ['a"b\\c\nd', 5n, undefined, 'x'.repeat(500)]
    const metrics = make({ add: [{ name: 'my-label', value: (x) => values[x.downstream.sentBytes] }] })
    for (const i of values.keys()) metrics.ended(proxied({}, (x) => (x.downstream.sentBytes = i)))
    metrics.ended(proxied({}, (x) => (x.downstream.sentBytes = 1)))
    const found = (await linesOf(metrics, 'agentgateway_requests_total')).map(
      (line) => line.split('my_label=')[1],
    )
    assert.deepEqual(found, ['"a\\"b\\\\c\\nd"} 1', '"5"} 2', '"unknown"} 1', `"${'x'.repeat(128)}"} 1`])
    assert.match(
      String(await linesOf(metrics, 'agentgateway_request_processing_seconds_sum')),
      /my_label="5"/,
    )
  })

  await t.test(
    'have no control characters in labels, which end texts and lines for some parsers',
    async () => {
      const metrics = make({ add: [{ name: 'who', value: () => 'a\0b\rc\x1bd\x7fe\tf' }] })
      metrics.ended(proxied())
      assert.match(await textOf(metrics), /who="a\\\\x00b\\\\rc\\\\x1bd\\\\x7fe\tf"/)
    },
  )
})

test('user labels contain no credentials', async () => {
  const metrics = make({ add: [{ name: 'who', value: (x) => x.request.headers.get('authorization') }] })
  metrics.ended(proxied({ headers: { authorization: 'Bearer SECRET-token' } }))
  const text = await textOf(metrics)
  assert.doesNotMatch(text, /SECRET/)
  assert.match(text, /who="Bearer <redacted>"/)
})

test('series are bounded', async (t) => {
  await t.test('by counting unregistered methods as OTHER', async () => {
    const metrics = make()
    for (let i = 0; i < 50; i++) metrics.ended(proxied({ method: `INVENTED${i}` }))
    const lines = await linesOf(metrics, 'agentgateway_requests_total')
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /method="OTHER".* 50$/)
  })

  await t.test('by counting values beyond the limit as overflow', async () => {
    const metrics = make({ maxSeries: 10, add: [{ name: 'id', value: (x) => x.downstream.sentBytes }] })
    for (let i = 0; i < 100; i++) metrics.ended(proxied({}, (x) => (x.downstream.sentBytes = i)))
    const lines = await linesOf(metrics, 'agentgateway_requests_total')
    assert.ok(lines.length <= 10)
    const total = lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    assert.equal(total, 100)
    assert.match(lines.at(-1) ?? '', /^agentgateway_requests_total\{backend="overflow"/)
    const [overflow] = await linesOf(metrics, 'agentgateway_series_overflow_total')
    assert.ok(Number(overflow?.split(' ')[1]) > 80)
  })

  await t.test(
    'by counting further values of one user label as overflow, apart from the other labels',
    async () => {
      const metrics = make({
        maxLabelValues: 3,
        add: [
          { name: 'user', value: (x) => x.downstream.sentBytes },
          { name: 'team', value: () => 'red' },
        ],
      })
      const used = async (sentBytes: number) => {
        metrics.ended(proxied({}, (x) => (x.downstream.sentBytes = sentBytes)))
        const lines = await linesOf(metrics, 'agentgateway_requests_total')
        return lines.map((line) =>
          /route="default\/files".*user="(.*?)",team="red"\} (\d+)/.exec(line)?.slice(1).join(' '),
        )
      }
      for (const user of [1, 2, 3, 4, 5]) await used(user)
      assert.deepEqual(await used(1), ['1 2', '2 1', '3 1', 'overflow 2'])
      assert.deepEqual(await linesOf(metrics, 'agentgateway_label_values_overflow_total{label="user"'), [
        'agentgateway_label_values_overflow_total{label="user"} 2',
      ])
      // Values that were not used for long make room.
      for (let i = 0; i < 60; i++) await used(1)
      assert.ok((await used(9)).includes('9 1'))
    },
  )

  await t.test('by one series for what has no room, with every label, configured ones as well', async () => {
    const metrics = make({ maxSeries: 2, add: [{ name: 'id', value: (x) => x.downstream.sentBytes }] })
    for (let i = 0; i < 5; i++) metrics.ended(proxied({}, (x) => (x.downstream.sentBytes = i)))
    const all = [
      'backend',
      'protocol',
      'method',
      'status',
      'reason',
      'bind',
      'gateway',
      'listener',
      'route',
      'route_rule',
      'id',
    ]
    const [line = ''] = (await linesOf(metrics, 'agentgateway_requests_total')).slice(-1)
    assert.match(
      line,
      new RegExp(
        `^agentgateway_requests_total\\{${all.map((name) => `${name}="overflow"`).join(',')}\\} \\d$`,
      ),
    )
  })

  await t.test('of connections and ejections as well', async () => {
    const metrics = make()
    for (let i = 0; i < 1_500; i++) {
      metrics.opened({ bind: `bind/${i}`, gateway: 'g', listener: 'l', protocol: 'http' })
      metrics.endpointLeft(`backend${i}`, 'evicted')
    }
    for (const name of ['downstream_connections', 'upstream_ejections']) {
      const lines = await linesOf(metrics, `agentgateway_${name}_total`)
      assert.equal(lines.length, 1_001)
      assert.match(lines.at(-1) ?? '', /="overflow"(,\w+="overflow")*\} 500$/)
    }
  })

  await t.test('by removing locations that are unused for many scrapes', async () => {
    const metrics = make({ maxSeries: 4 })
    const at = (route: string) => ({ labels: { ...labels, route } })
    metrics.ended(proxied(at('default/old')))
    metrics.ended(proxied(at('default/used')))
    for (let i = 0; i < 61; i++) {
      await textOf(metrics)
      metrics.ended(proxied(at('default/used')))
    }
    metrics.ended(proxied(at('default/new')))
    const routes = (await linesOf(metrics, 'agentgateway_requests_total')).map(
      (line) => /route="(.+?)"/.exec(line)?.[1],
    )
    assert.deepEqual(routes, ['default/used', 'default/new'])
    assert.deepEqual(await linesOf(metrics, 'agentgateway_evictions_total{cache="series"'), [
      'agentgateway_evictions_total{cache="series"} 2',
    ])
  })
})

test('exemplars', async (t) => {
  const id = '0af7651916cd43dd8448eb211c80319c'
  const exemplarsAfter = async (
    traceparent: string | readonly string[],
    format?: MetricsOptions['histograms'],
  ) => {
    const metrics = make(format && { histograms: format })
    metrics.ended(proxied({ headers: { traceparent } }))
    return (await textOf(metrics)).split('\n').filter((line) => line.includes(' # {'))
  }

  await t.test('name the trace of a sampled request, in each of its durations', async () => {
    const lines = await exemplarsAfter(`00-${id}-b7ad6b7169203331-01`)
    assert.deepEqual(
      lines.map((line) => line.split('{')[0]),
      [
        'agentgateway_request_duration_seconds_bucket',
        'agentgateway_request_processing_seconds_bucket',
        'agentgateway_response_processing_seconds_bucket',
        'agentgateway_upstream_call_duration_seconds_bucket',
      ],
    )
    assert.match(
      lines[0] ?? '',
      new RegExp(`le="0\\.1",.* 1 # \\{trace_id="${id}"\\} 0\\.0[89]\\d* \\d{10}\\.\\d{3}$`),
    )
  })

  await t.test('are absent without a valid, sampled trace context', async () => {
    for (const traceparent of [
      `00-${id}-b7ad6b7169203331-00`,
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-${id.toUpperCase()}-b7ad6b7169203331-01`,
      `00-${id}"} 1-b7ad6b7169203331-01`,
      [`00-${id}-b7ad6b7169203331-01`, `00-${id}-b7ad6b7169203331-01`],
      '',
    ])
      assert.deepEqual(await exemplarsAfter(traceparent), [], String(traceparent))
  })

  await t.test('have the last bucket if histograms have native buckets only', async () => {
    const lines = await exemplarsAfter(`00-${id}-b7ad6b7169203331-01`, 'native')
    assert.match(lines[0] ?? '', /^agentgateway_request_duration_seconds_bucket\{le="\+Inf",.* # \{/)
    assert.equal(lines.length, 4)
  })
})

test('other metrics', async (t) => {
  await t.test('count connections, handshakes and their bytes', async () => {
    const metrics = make()
    const connection = { bind: 'bind/3000', gateway: undefined, listener: 'main', protocol: 'https' }
    metrics.opened(connection)
    metrics.closed(connection, 10, 20)
    metrics.tlsHandshake(connection, 0.01)
    metrics.upstreamConnected('tls', 0.002)
    const text = await textOf(metrics)
    const series = '{bind="bind/3000",gateway="unknown",listener="main",protocol="https"}'
    assert.ok(text.includes(`\nagentgateway_downstream_connections_total${series} 1\n`))
    assert.ok(text.includes(`\nagentgateway_downstream_received_bytes_total${series} 10\n`))
    assert.ok(text.includes(`\nagentgateway_downstream_sent_bytes_total${series} 20\n`))
    assert.ok(text.includes(`\nagentgateway_tls_handshake_duration_seconds_count${series} 1\n`))
    assert.ok(text.includes('\nagentgateway_upstream_connect_duration_seconds_count{transport="tls"} 1\n'))
  })

  await t.test('report the state of the process, the log and the trace', async () => {
    const sources = { exchangesInFlight: () => 7, traceWatchers: () => 2, eventLoopLagSeconds: () => 0.5 }
    const metrics = make({ sources })
    metrics.configSynchronized(false)
    metrics.traceEventsDropped(3)
    metrics.logLineDropped()
    metrics.queueDropped('mcp_messages', 4)
    const text = await textOf(metrics)
    assert.ok(text.includes('\nagentgateway_build_info{tag="1.2.3"} 1\n'))
    assert.ok(text.includes('\nagentgateway_config_synchronized 0\n'))
    assert.ok(text.includes('\nagentgateway_exchanges_in_flight 7\n'))
    assert.ok(text.includes('\nagentgateway_trace_watchers 2\n'))
    assert.ok(text.includes('\nagentgateway_event_loop_lag_seconds 0.5\n'))
    assert.ok(text.includes('\nagentgateway_trace_events_dropped_total 3\n'))
    assert.ok(text.includes('\nagentgateway_log_lines_dropped_total 1\n'))
    assert.ok(text.includes('\nagentgateway_queue_dropped_total{queue="mcp_messages"} 4\n'))
    assert.ok(text.includes('\nagentgateway_evictions_total{cache="tokens"} 0\n'))
    assert.match(text, /\nagentgateway_process_rss \d{7,}\n/)
    assert.match(text, /\nagentgateway_process_heap_limit \d{7,}\n/)
    const start = /\nagentgateway_process_start_time_seconds ([\d.]+)\n/.exec(text)?.[1]
    assert.ok(Math.abs(Number(start) - (Date.now() / 1000 - process.uptime())) < 5, start)
    if (process.platform === 'linux') {
      assert.match(text, /\nagentgateway_process_pss \d{7,}\n/)
      assert.match(text, /\nagentgateway_process_open_fds \d+\n/)
      assert.match(text, /\nagentgateway_process_max_fds \d+\n/)
    }
    assert.match(text, /\nagentgateway_process_cpu_seconds_total [\d.]+\n/)
    assert.match(text, /\nagentgateway_event_loop_utilization [01](\.\d+)?(e-\d+)?\n/)
  })

  await t.test('report the health of MCP servers, and remove those that are gone', async () => {
    const counts = { requests: 0, failures: 0, latencyMs: undefined }
    const status = { sinceMs: 0, error: undefined, revision: undefined, legacy: undefined, modern: undefined }
    const at = (target: string, state: 'well' | 'failing' | 'unknown', children?: number) => ({
      ...{ ...status, ...counts, backend: 'b', target, state, children },
    })
    const mcp = {
      targets: [at('files', 'well', 2), at('web', 'failing'), at('new', 'unknown', 0)],
      sessions: new Map([['b', 3]]),
    }
    const metrics = make({ sources: { mcp } })
    assert.deepEqual(await linesOf(metrics, 'agentgateway_mcp_'), [
      'agentgateway_mcp_sessions{backend="b"} 3',
      'agentgateway_mcp_child_processes{server="files"} 2',
      'agentgateway_mcp_child_processes{server="new"} 0',
      'agentgateway_mcp_server_up{backend="b",server="files"} 1',
      'agentgateway_mcp_server_up{backend="b",server="web"} 0',
    ])
    mcp.targets.length = 1
    mcp.sessions.clear()
    assert.deepEqual(await linesOf(metrics, 'agentgateway_mcp_'), [
      'agentgateway_mcp_child_processes{server="files"} 2',
      'agentgateway_mcp_server_up{backend="b",server="files"} 1',
    ])
  })

  await t.test('measure calls to MCP servers separately from their requests', async () => {
    const metrics = make()
    metrics.ended(proxied({}, (x) => (x.upstream.backend = { name: 'b', type: 'mcp', protocol: 'mcp' })))
    metrics.upstreamCall('Primary', 'Mcp', 0.25)
    assert.deepEqual(await linesOf(metrics, 'agentgateway_upstream_call_duration_seconds_sum'), [
      'agentgateway_upstream_call_duration_seconds_sum{kind="Primary",subtype="Mcp"} 0.25',
    ])
  })

  await t.test('of the host program are included', async () => {
    const metrics = make()
    new Gauge({ name: 'my_gauge', help: 'mine', registers: [metrics.registry] }).set(4)
    assert.match(await textOf(metrics), /# TYPE my_gauge gauge\nmy_gauge 4\n/)
  })
})

test('the metrics text', async (t) => {
  await t.test('is OpenMetrics: each family described once, its samples together, and an end', async () => {
    const metrics = make({
      sources: {
        exchangesInFlight: () => 0,
        traceWatchers: () => 0,
        eventLoopLagSeconds: () => 0,
        mcp: { targets: [], sessions: new Map([['/mcp/backend0', 1]]) },
        endpoints: () => [],
      },
    })
    metrics.ended(proxied({}, (x) => (x.protocol.mcp = { methodName: 'tools/list', kind: 'tool' })))
    metrics.ended(proxied({ method: 'POST' }))
    const text = await textOf(metrics)
    assert.ok(text.endsWith('\n# EOF\n'))
    assert.equal(text.split('# EOF').length, 2)
    assert.ok(!text.includes('\n\n'))
    const families: string[] = []
    for (const line of text.trimEnd().split('\n').slice(0, -1)) {
      const [, kind, name] = /^# (HELP|TYPE|UNIT) (\S+) /.exec(line) ?? []
      if (kind === 'HELP') families.push(name ?? '')
      else if (kind === undefined) {
        const sampled = /^([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? -?[\d.e+-]+$/.exec(line)?.[1]
        assert.ok(sampled?.startsWith(families.at(-1) ?? '?'), line)
      } else assert.equal(name, families.at(-1))
    }
    assert.deepEqual(
      families.toSorted(),
      Object.values(metricDefinitions)
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  await t.test('omits removed metrics in any spelling', async () => {
    const remove = [
      'agentgateway_requests_total',
      'retries',
      'request_duration',
      'process_rss',
      'build_info',
      'evictions',
    ]
    const metrics = make({ remove })
    metrics.ended(proxied())
    const text = await textOf(metrics)
    for (const name of [
      'requests',
      'retries',
      'request_duration_seconds',
      'process_rss',
      'build',
      'evictions',
    ])
      assert.ok(!text.includes(`# TYPE agentgateway_${name} `), name)
    assert.match(
      text,
      /# TYPE agentgateway_response_bytes counter\n# UNIT agentgateway_response_bytes bytes\n/,
    )
  })

  await t.test('is written in small parts, so that a large one does not block traffic', async () => {
    const metrics = make()
    for (let i = 0; i < 200; i++)
      metrics.ended(proxied({ labels: { ...labels, route: `default/route${i}` } }))
    const parts = [...metricsText(await metrics.parts(), 'openMetrics')]
    assert.ok(parts.length > 1000)
    assert.ok(Math.max(...parts.map((part) => part.length)) < 10_000)
    const messages = [...metricsProtobuf(await metrics.parts())]
    assert.ok(messages.length > 1000)
    assert.ok(Math.max(...messages.map(({ length }) => length)) < 10_000)
    for (const { series } of await metrics.parts()) assert.ok(series.length <= 200)
  })
})
