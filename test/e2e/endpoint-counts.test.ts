import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startUpstream } from '../support/upstream.ts'

interface Info {
  readonly health: number
  readonly requestLatency: number
  readonly totalRequests: number
  readonly failedRequests: number
  readonly timesEjected: number
  readonly evictedUntil: string | null
  readonly state: string
  readonly reason?: string
}
type Group = Readonly<
  Record<'active' | 'rejected', Readonly<Record<string, { readonly info: Info; readonly endpoint: object }>>>
>
interface Dump {
  readonly services: readonly { readonly name: string; readonly endpoints?: readonly Group[] }[]
  readonly backends: readonly {
    readonly backend: Readonly<
      Record<
        string,
        {
          readonly name: string
          readonly endpoints?: readonly Group[]
          readonly target?: { readonly providers?: readonly Group[] }
        }
      >
    >
  }[]
  readonly health: readonly Readonly<Record<string, unknown>>[]
}

const dumpOf = async (daemon: Daemon): Promise<Dump> =>
  JSON.parse((await sendRequest(daemon.url('admin'), '/config_dump')).text) as Dump

const groupOf = (dump: Dump, kind: string, name: string): Group | undefined => {
  const found = dump.backends.find(({ backend }) => backend[kind]?.name.endsWith(name))?.backend[kind]
  return (found?.target?.providers ?? found?.endpoints)?.[0]
}

test('the counts of endpoints in a dump', async (t) => {
  await using good = await startUpstream((req, res) => {
    res.statusCode = req.url === '/same/500' ? 500 : 200
    res.end('ok')
  })
  const port = good.host.split(':')[1] ?? ''
  const configuration = `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends:
  - { name: one, host: "${good.host}" }
  - { name: same, host: "${good.host}" }
  - name: dead
    host: "127.0.0.1:1"
    policies: { health: { eviction: { consecutiveFailures: 1, duration: 60s } } }
services: [{ name: shop, namespace: web, hostname: shop.web, ports: { 80: ${port} } }]
workloads:
  - { uid: c//Pod/web/shop-1, name: shop-1, namespace: web, workloadIps: [127.0.0.1], services: { web/shop.web: { 80: ${port} } } }
routes:
  - { name: one, matches: [{ path: { pathPrefix: /one } }], backends: [{ backend: one }] }
  - { name: same, matches: [{ path: { pathPrefix: /same } }], backends: [{ backend: same }] }
  - { name: again, matches: [{ path: { pathPrefix: /again } }], backends: [{ backend: one }] }
  - { name: dead, matches: [{ path: { pathPrefix: /dead } }], backends: [{ backend: dead }] }
  - { name: shop, matches: [{ path: { pathPrefix: /shop } }], backends: [{ service: { name: web/shop.web, port: 80 } }] }
  - name: ai
    matches: [{ path: { pathPrefix: /ai } }]
    backends:
      - ai: { groups: [{ providers: [{ name: gone, provider: { openAI: {} }, hostOverride: "127.0.0.1:1" }] }] }
        policies: { health: { eviction: { consecutiveFailures: 3, duration: 60s } } }
  - name: mcp
    matches: [{ path: { pathPrefix: /mcp } }]
    backends: [{ mcp: { targets: [{ name: tools, mcp: { host: "http://127.0.0.1:1/mcp" } }] } }]
`
  await using daemon = await startDaemon(configuration)
  const send = (path: string, body?: unknown) =>
    sendRequest(daemon.url('default'), path, {
      ...(body === undefined
        ? {}
        : {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          }),
    })

  await t.test('are of the backend, though backends share the endpoint', async () => {
    for (const path of ['/one', '/one', '/again', '/same', '/same/500', '/shop']) await send(path)
    const dump = await dumpOf(daemon)
    const infos = ['one', 'same'].map((name) => groupOf(dump, 'host', name)?.active[good.host]?.info)
    assert.deepEqual(
      infos.map((info) => [info?.totalRequests, info?.failedRequests, info?.state, info?.evictedUntil]),
      [
        [3, 0, 'healthy', null],
        [2, 1, 'healthy', null],
      ],
    )
    assert.ok(infos.every((info) => info && info.requestLatency > 0 && info.requestLatency < 10))
    assert.ok(infos.every((info) => info && info.health > 0.5 && info.health < 1))
    const shop = dump.services[0]?.endpoints?.[0]?.active[`127.0.0.1:${port}`]
    assert.deepEqual(shop?.endpoint, { workloadUid: 'c//Pod/web/shop-1', name: `127.0.0.1:${port}` })
    assert.equal(shop.info.totalRequests, 1)
  })

  await t.test('survive a reload', async () => {
    daemon.rewrite(configuration.replace('/again', '/once-more'))
    await daemon.printed(/configuration in force[^]*configuration in force/)
    await send('/once-more')
    assert.equal(groupOf(await dumpOf(daemon), 'host', 'one')?.active[good.host]?.info.totalRequests, 4)
  })

  await t.test('and the reason are shown of evicted endpoints and providers', async () => {
    await send('/dead')
    for (let i = 0; i < 3; i++) await send('/ai/v1/chat/completions', { model: 'm', messages: [] })
    const dump = await dumpOf(daemon)
    const dead = groupOf(dump, 'host', 'dead')
    assert.deepEqual(dead?.active, {})
    const { info } = dead.rejected['127.0.0.1:1'] ?? assert.fail()
    assert.deepEqual(
      [info.totalRequests, info.failedRequests, info.timesEjected, info.state, info.reason],
      [1, 1, 1, 'evicted', 'upstream_connect'],
    )
    assert.match(info.evictedUntil ?? '', /^(?:1m0s|\d\d(?:\.\d+)?s)$/)
    const provider = groupOf(dump, 'ai', 'backend0')?.rejected.gone?.info
    assert.deepEqual([provider?.state, provider?.totalRequests, provider?.failedRequests], ['evicted', 3, 3])
    assert.deepEqual(
      dump.health.map(({ endpoint, state, requests }) => [endpoint, state, requests]),
      [
        ['127.0.0.1:1', 'evicted', 1],
        ['gone', 'evicted', 3],
      ],
    )
    const dependencies = JSON.parse(
      (await sendRequest(daemon.url('admin'), '/dependencies')).text,
    ) as readonly Readonly<Record<string, unknown>>[]
    assert.deepEqual(
      dependencies.map(({ name, required, state, error }) => [name, required, state, error]),
      [
        ['endpoint 127.0.0.1:1 of /dead', false, 'evicted', 'upstream_connect'],
        [dependencies[1]?.name, false, 'evicted', 'upstream_connect'],
      ],
    )
    await daemon.printed(/an endpoint is left out.*endpoint=gone/)
  })

  await t.test('are of the calls to an MCP server', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    await send('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await send('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list' })
    const tools = groupOf(await dumpOf(daemon), 'mcp', 'backend0')?.active.tools?.info
    assert.equal(tools?.state, 'failing')
    assert.ok(tools.totalRequests > 0 && tools.failedRequests === tools.totalRequests)
    assert.equal(tools.health, 0)
  })
})

test('the difference that a reload made', async (t) => {
  const route = (name: string, timeout: string) =>
    `  - { name: ${name}, matches: [{ path: { exact: /${name} } }], policies: { timeout: { requestTimeout: ${timeout} }, directResponse: { status: 200 } } }\n`
  const configuration = (routes: string, more = '') =>
    `${anyPorts}${more}gateways: { default: { port: 0, address: 127.0.0.1 } }\nroutes:\n${routes}`
  await using daemon = await startDaemon(configuration(route('kept', '5s') + route('gone', '5s')))
  const diff = async () =>
    JSON.parse((await sendRequest(daemon.url('admin'), '/debug/config/diff')).text) as Readonly<
      Record<
        'lastReload' | 'lastFailure',
        {
          readonly file: string
          readonly at: string
          readonly error: string
          readonly restartRequired: readonly string[]
          readonly changes: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
        } | null
      >
    >

  await t.test('is empty before the first', async () => {
    const { lastReload, lastFailure } = await diff()
    assert.deepEqual([lastReload, lastFailure], [null, null])
  })

  await t.test('names resources that are new, gone and changed, with their fields', async () => {
    daemon.rewrite(
      configuration(
        `# moved down\n${route('new', '5s')}${route('kept', '7s')}`,
        '  adminHosts: [a.example]\n',
      ),
    )
    await daemon.printed(/configuration in force[^]*configuration in force/)
    const { lastReload } = await diff()
    assert.equal(lastReload?.file, daemon.file)
    const { added = [], removed = [], changed = [] } = lastReload.changes
    assert.deepEqual(
      added.map(({ kind, name }) => [kind, /\w+$/.exec(String(name))?.[0]]),
      [['route', 'new']],
    )
    assert.deepEqual(
      removed.map(({ kind, name }) => [kind, /\w+$/.exec(String(name))?.[0]]),
      [['route', 'gone']],
    )
    assert.deepEqual(
      changed.map(({ kind, name, fields }) => [kind, /[\w.]+$/.exec(String(name))?.[0], fields]),
      [
        ['route', 'kept', [{ path: 'inlinePolicies.timeout.requestTimeout', old: '"5s"', new: '"7s"' }]],
        ['section', 'config.adminHosts', [{ path: '', old: '[]', new: '["a.example"]' }]],
      ],
    )
    assert.deepEqual(lastReload.restartRequired, ['config.adminHosts'])
    const { text } = await sendRequest(daemon.url('admin'), '/debug/config/diff?format=text')
    assert.match(text, /1 added, 1 removed, 2 changed\n/)
    assert.match(text, /requestTimeout: "5s" → "7s"\n/)
  })

  await t.test('does not include a reload that was refused, whose error is shown beside it', async () => {
    daemon.rewrite(configuration(route('kept', 'soon')))
    await daemon.printed(/Failed to reload config/)
    const { lastReload, lastFailure } = await diff()
    assert.equal(lastReload?.changes.added?.length, 1)
    assert.match(
      lastFailure?.error ?? '',
      /gateway\.yaml:\d+:\d+: routes\[0\].*requestTimeout: "soon" must be/,
    )
  })
})
