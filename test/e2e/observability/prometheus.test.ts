import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { sendRequest } from '../../support/send-request.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { type Daemon, startDaemon } from '../../support/daemon.ts'
import { panelQueries } from '../../support/dashboards.ts'
import { findProgram } from '../../support/find-program.ts'
import { initialize } from '../../support/mcp/plain-client.ts'
import { startPrometheus } from '../../support/prometheus.ts'
import { httpServer } from '../../support/upstream-servers.ts'

const folder = resolve('config/observability')
const prometheus = findProgram('prometheus')
const promtool = findProgram('promtool')
const skip = prometheus && promtool ? false : 'prometheus and promtool are not installed'
const rules = ['rules.yml', 'alerts.yml'].map((name) => `${folder}/prometheus/${name}`)
const traceId = '0af7651916cd43dd8448eb211c80319c'

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly { readonly record?: string; readonly alert?: string; readonly expr: string }[]
  }[]
}

/** An alert has series only while it fires: with `bool`, comparisons return what they compared. */
const withoutThreshold = (expression: string): string =>
  expression.replaceAll(/ (>|<|==) (?=[\d.])/g, ' $1 bool ')

const configuration = (
  upstream: string,
  second: string,
  certificate: { certFile: string; keyFile: string },
) => `
config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
  histograms: both
  modelCatalog:
    - inline: { providers: { mock: { models: { priced: { rates: { input: '2', output: '10' } } } } } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
  secure:
    port: 0
    address: 127.0.0.1
    tls: { cert: ${certificate.certFile}, key: ${certificate.keyFile} }
frontendPolicies: { accessLog: { filter: 'false' } }
routes:
  - name: shop
    gateways: [default, secure]
    matches: [{ path: { pathPrefix: /shop } }]
    policies:
      retry: { attempts: 1, codes: [503] }
      health: { eviction: { consecutiveFailures: 2, duration: 60s } }
    backends: [{ host: "${upstream}" }, { host: "${second}" }]
  - name: mcp
    matches: [{ path: { exact: /mcp } }]
    backends:
      - mcp: { targets: [{ name: demo, stdio: { cmd: node, args: [${resolve('config/demo-mcp-server.js')}] } }] }
llm:
  models:
    - { name: priced, provider: mock }
    - { name: unpriced, provider: { mock: { formats: [messages] } } }
    - { name: guarded, provider: mock, guardrails: { request: [{ webhook: { target: { host: '127.0.0.1:1' } } }] } }
`

const json = { 'content-type': 'application/json' }

/** Requests of every kind: well, failing, retried, over TLS, of models with and without a price, and of MCP. */
const traffic = async (daemon: Daemon): Promise<void> => {
  const url = daemon.url('default')
  const traced = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  for (const path of ['/shop/ok', '/shop/ok', '/shop/broken', '/shop/busy', '/nowhere'])
    await sendRequest(url, path, { headers: traced })
  await new Promise((done, failed) => {
    const options = { rejectUnauthorized: false, agent: false }
    request(`${daemon.url('secure')}/shop/ok`, options, (res) => res.resume().once('close', done))
      .once('error', failed)
      .end()
  })
  for (const [model, content, stream] of [
    ['priced', 'hi', false],
    ['priced', 'mock:usage 100 20 cached=50 mock:words 20', true],
    ['unpriced', 'hi', false],
    ['guarded', 'hi', false],
  ] as const) {
    const body = JSON.stringify({ model, stream, seed: 7, messages: [{ role: 'user', content }] })
    await sendRequest(url, '/v1/chat/completions', { method: 'POST', body, headers: { ...json, ...traced } })
  }
  const anthropic = { model: 'priced', max_tokens: 9, top_k: 3, messages: [{ role: 'user', content: 'hi' }] }
  await sendRequest(url, '/v1/messages', { method: 'POST', body: JSON.stringify(anthropic), headers: json })
  const session = await initialize(`${url}/mcp`)
  for (const message of [
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
  ]) {
    const headers = { ...json, accept: 'application/json, text/event-stream', 'mcp-session-id': session }
    await sendRequest(url, '/mcp', {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      headers,
    })
  }
  await sendRequest(url, '/mcp', { method: 'POST', body: '{', headers: json })
}

test('a Prometheus that scrapes a gateway', { skip }, async (t) => {
  using authority = makeAuthority()
  const respond = (url: string | undefined): number => (url === '/shop/broken' ? 500 : 503)
  await using upstream = await httpServer((req, res) => {
    res.writeHead(req.url === '/shop/ok' ? 200 : respond(req.url)).end('well')
  })
  await using second = await httpServer((_, res) => res.writeHead(503).end())
  const hosts = [upstream, second].map(({ port }) => `127.0.0.1:${port}`)
  await using daemon = await startDaemon(
    configuration(hosts[0] ?? '', hosts[1] ?? '', authority.issue('shop.example')),
  )
  const target = new URL(daemon.url('stats')).host
  await using classic = await startPrometheus(prometheus ?? '', target, rules, ['exemplar-storage'])
  await using native = await startPrometheus(
    prometheus ?? '',
    target,
    [],
    [...['exemplar-storage', 'native-histograms']],
  )
  // Rates need counters that increase between scrapes.
  for (let round = 1; round <= 2; round++) {
    await traffic(daemon)
    await classic.until(`sum (agentgateway_mcp_requests_total) >= ${round * 3}`)
  }
  await classic.until('agentgateway:gen_ai_cost_usd:per_hour')
  await classic.until('agentgateway:request_duration_seconds:p99_rate5m')

  /** A rate takes two scrapes; collections of garbage, for one, may have been counted in the last one only. */
  const returnsSeries = async (expression: string): Promise<boolean> => {
    const deadline = performance.now() + 120_000
    for (;;) {
      if ((await classic.query(expression)).length > 0) return true
      if (performance.now() > deadline) return false
      await pause(50)
    }
  }

  await t.test('returns series for every panel', async () => {
    const empty: string[] = []
    for (const [panel, expression] of panelQueries())
      if (!(await returnsSeries(expression))) empty.push(`${panel}: ${expression}`)
    assert.deepEqual(empty, [])
    assert.ok(panelQueries().length > 60)
  })

  await t.test('returns series for every rule, and evaluates them without error', async () => {
    const empty: string[] = []
    for (const file of rules) {
      const { groups } = parse(readFileSync(file, 'utf8')) as RuleFile
      for (const { record, alert, expr } of groups.flatMap((group) => group.rules)) {
        const expression = record ?? withoutThreshold(expr)
        if (!(await returnsSeries(expression))) empty.push(`${record ?? alert ?? ''}: ${expression}`)
      }
    }
    assert.deepEqual(empty, [])
    const { groups } = (await classic.api('rules')) as {
      groups: { rules: { name: string; health: string; lastError?: string }[] }[]
    }
    for (const { name, health, lastError } of groups.flatMap((group) => group.rules))
      assert.notEqual(health, 'err', `${name}: ${lastError ?? ''}`)
  })

  await t.test('links slow requests to their traces', async () => {
    const duration = 'agentgateway_request_duration_seconds'
    await native.until(duration)
    for (const [one, query] of [
      [classic, `${duration}_bucket`],
      [native, duration],
    ] as const) {
      const ids = async () => {
        const end = Math.ceil(Date.now() / 1000)
        const found = (await one.api(`query_exemplars?query=${query}&start=${end - 600}&end=${end}`)) as {
          exemplars: { labels: { trace_id?: string } }[]
        }[]
        return found.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels.trace_id))
      }
      // The last scrape may be from before the traced requests.
      while (!(await ids()).includes(traceId)) await pause(50)
    }
  })

  await t.test('reads native histograms from the protobuf format', async () => {
    const labels = '{route="default/shop", status="200"}'
    const [counted] = await classic.query(`sum (agentgateway_request_duration_seconds_count${labels})`)
    const count = Number(counted?.value?.[1])
    assert.ok(count > 0)
    // Its last scrape may be older.
    const series = `sum (agentgateway_request_duration_seconds${labels})`
    await native.until(`histogram_count (${series}) == ${count}`)
    const [found] = await native.query(series)
    assert.equal(Number(found?.histogram?.[1].count), count)
    const quantile = await native.query(
      'histogram_quantile(0.5, sum (agentgateway_upstream_call_duration_seconds))',
    )
    assert.ok(Number(quantile[0]?.value?.[1]) > 0)
    const counters = 'sum (agentgateway_requests_total) + sum (agentgateway_build_info)'
    assert.equal((await native.query(counters)).length, 1)
  })

  await t.test('scrapes without failures', async () => {
    for (const one of [classic, native]) {
      assert.equal((await one.query('max_over_time(up[5m])'))[0]?.value?.[1], '1')
      // A scrape that takes a second is given up, as may be on a busy machine; others fail at once.
      const failed = '(up == 0) and (scrape_duration_seconds < 0.9)'
      assert.deepEqual(await one.query(`count_over_time((${failed})[5m:1s])`), [])
    }
  })

  await t.test('finds nothing wrong in its own text format', async () => {
    const accept = 'text/plain;version=0.0.4'
    const { text, headers } = await sendRequest(daemon.url('stats'), '/metrics', { headers: { accept } })
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    const lint = spawnSync(promtool ?? '', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    // It would name some metrics differently; they keep their names for dashboards of other data planes.
    const complaints = (lint.stdout + lint.stderr)
      .split('\n')
      .filter((line) => /error|duplicate|invalid|parse/i.test(line))
    assert.deepEqual(complaints, [])
  })
})

test('the rules and alerts are valid, and alerts fire and resolve as they should', { skip }, () => {
  const check = (...args: readonly string[]) =>
    execFileSync(promtool ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  assert.match(check('check', 'config', `${folder}/prometheus/prometheus.yml`), /SUCCESS/)
  assert.match(check('test', 'rules', resolve('test/e2e/observability/alerts.test.yml')), /SUCCESS/)
})
