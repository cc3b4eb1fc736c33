import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../../support/send-request.ts'
import { type Daemon, startDaemon } from '../../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../../support/echo-upstream.ts'
import { httpServer, type UpstreamServer } from '../../support/upstream-servers.ts'
import { configurationOf, toService } from './configuration.ts'

const exact = (path: string) => ({ path: { exact: path } })
const prefix = (path: string, more: object = {}) => ({ path: { pathPrefix: path }, ...more })
const header = (name: string, value: string) => ({ name, value: { exact: value } })

const headerChanges = {
  set: { 'X-Header-Set': 'set-overwrites-values' },
  add: { 'X-Header-Add': 'header-val-1', 'X-Header-Add-Append': 'header-val-2' },
  remove: ['X-Header-Remove'],
}

/** Made from resources: the order of this list does not count. */
const made = (name: string, createdAt: string, match: object, service: string, more: object = {}) => ({
  name,
  namespace: 'team',
  precedence: { createdAt, namespace: 'team', name },
  matches: [match],
  backends: [toService(service)],
  ...more,
})

const ordered = [
  made('b-younger', '2026-01-02T00:00:00Z', prefix('/tie'), 'b'),
  made('a-younger', '2026-01-02T00:00:00Z', prefix('/tie', { headers: [header('x-more', '1')] }), 'c'),
  made('z-older', '2026-01-01T00:00:00+00:00', prefix('/tie'), 'a'),
  made('second', '2026-01-01T00:00:00Z', prefix('/name'), 'b'),
  made('first', '2026-01-01T00:00:00Z', prefix('/name'), 'a'),
  made('rules', '2026-01-01T00:00:00Z', prefix('/rule'), 'b', {
    ruleName: 'two',
    precedence: { createdAt: '2026-01-01T00:00:00Z', namespace: 'team', name: 'rules', rule: 1 },
  }),
  made('rules', '2026-01-01T00:00:00Z', prefix('/rule'), 'a', {
    ruleName: 'one',
    precedence: { createdAt: '2026-01-01T00:00:00Z', namespace: 'team', name: 'rules', rule: 0 },
  }),
  made('short', '2025-01-01T00:00:00Z', prefix('/match'), 'a'),
  made('long', '2026-01-01T00:00:00Z', prefix('/match/longer'), 'b'),
  made('exact', '2026-01-01T00:00:00Z', exact('/match/longer'), 'c'),
  made('method', '2026-01-01T00:00:00Z', prefix('/match', { method: 'PUT' }), 'c'),
]

const redirects: Readonly<Record<string, readonly [policy: object, location: string]>> = {
  host: [{ authority: { host: 'example.org' } }, 'http://example.org:PORT/redirect/host/x?q'],
  'scheme and host': [
    { scheme: 'https', authority: { host: 'example.org' } },
    'https://example.org/redirect/scheme%20and%20host/x?q',
  ],
  port: [{ authority: { port: 8083 } }, 'http://127.0.0.1:8083/redirect/port/x?q'],
  'port 80': [{ authority: { full: 'example.org:80' } }, 'http://example.org/redirect/port%2080/x?q'],
  'scheme and port': [
    { scheme: 'https', authority: { full: 'example.org:8443' } },
    'https://example.org:8443/redirect/scheme%20and%20port/x?q',
  ],
  'scheme and port 443': [
    { scheme: 'https', authority: { full: 'example.org:443' } },
    'https://example.org/redirect/scheme%20and%20port%20443/x?q',
  ],
  prefix: [{ path: { prefix: '/replacement' } }, 'http://127.0.0.1:PORT/replacement/x?q'],
  full: [{ path: { full: '/replacement' } }, 'http://127.0.0.1:PORT/replacement?q'],
}

suite('routes of the Gateway API', () => {
  let servers: EchoUpstream[]
  let failing: UpstreamServer
  let slow: UpstreamServer
  let daemon: Daemon
  const attempts = new Map<string, number>()

  before(async () => {
    servers = await Promise.all(['a', 'b', 'c'].map((name) => startEcho(name)))
    failing = await httpServer((req, res) => {
      const [, status = '500', times = '1', id = ''] = /(\d+)\/(\d+)\/(\S*)/.exec(req.url ?? '') ?? []
      const count = (attempts.get(id) ?? 0) + 1
      attempts.set(id, count)
      res.writeHead(count > Number(times) ? 200 : Number(status)).end()
    })
    slow = await httpServer(() => undefined)
    const services = [
      ...servers.map(({ port }, i) => ({ name: 'abc'[i] ?? '', endpoints: [{ port }] })),
      { name: 'failing', endpoints: [{ port: failing.port }] },
      { name: 'slow', endpoints: [{ port: slow.port }] },
      { name: 'none', endpoints: [] },
    ]
    const route = (path: string, policies: object, backends: readonly object[] = [toService('a')]) => ({
      name: path.slice(1).replaceAll(/\W/g, '-'),
      matches: [prefix(path)],
      policies,
      backends,
    })
    daemon = await startDaemon(
      configurationOf(
        [
          ...ordered,
          route('/modified', { requestHeaderModifier: headerChanges, responseHeaderModifier: headerChanges }),
          route('/backend-modified', {}, [
            toService('a', { weight: 1, policies: { requestHeaderModifier: { set: { 'X-To': 'a' } } } }),
            toService('b', { weight: 1, policies: { requestHeaderModifier: { set: { 'X-To': 'b' } } } }),
          ]),
          route('/weighted', {}, [
            toService('a', { weight: 7 }),
            toService('b', { weight: 3 }),
            toService('c', { weight: 0 }),
          ]),
          route('/half-invalid', {}, [toService('a'), { invalid: null }]),
          route('/half-empty', {}, [toService('a'), toService('none')]),
          route('/no-backends', {}, []),
          route('/weightless', {}, [toService('a', { weight: 0 })]),
          ...Object.entries(redirects).map(([name, [policy]]) =>
            route(`/redirect/${encodeURIComponent(name)}`, { requestRedirect: policy }),
          ),
          ...[301, 302, 303, 307, 308].map((status) =>
            route(`/status/${String(status)}`, { requestRedirect: { status } }),
          ),
          route('/strip', { urlRewrite: { path: { prefix: '/' } } }),
          route('/full', { urlRewrite: { path: { full: '/one' }, authority: { full: 'one.example.org' } } }),
          route('/retry', { retry: { codes: [500, 503], attempts: 2, backoff: '1ms' } }, [
            toService('failing'),
          ]),
          route('/timeout', { timeout: { requestTimeout: '50ms' } }, [toService('slow')]),
          route('/backend-timeout', { timeout: { backendRequestTimeout: '50ms', requestTimeout: '10s' } }, [
            toService('slow'),
          ]),
          route(
            '/mirrored',
            {
              requestMirror: [{ backend: toService('b') }, { backend: toService('c') }],
            },
            [toService('a')],
          ),
          route('/backend-mirrored', {}, [
            toService('a', { policies: { requestMirror: { backend: toService('b') } } }),
          ]),
          route('/cors', {
            cors: {
              allowOrigins: ['https://www.foo.com', 'https://*.bar.com'],
              allowMethods: ['GET', 'OPTIONS'],
              allowHeaders: ['x-header-1', 'x-header-2'],
              exposeHeaders: ['x-header-3', 'x-header-4'],
              allowCredentials: true,
              maxAge: '1h',
            },
          }),
        ],
        services,
      ),
    )
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [...servers, failing, slow]) await server[Symbol.asyncDispose]()
  })

  const send = (target: string, asked?: RequestParts) => sendRequest(daemon.url('default'), target, asked)
  const reached = async (target: string, asked?: RequestParts) => echoed(await send(target, asked)).name
  const counted = async (count: number, next: () => Promise<string | number>) => {
    const counts: Record<string, number> = {}
    for (let i = 0; i < count; i++) {
      const key = await next()
      counts[key] = (counts[key] ?? 0) + 1
    }
    return counts
  }

  test('are selected by specificity, whatever their age', async () => {
    assert.equal(await reached('/match'), 'a')
    assert.equal(await reached('/match/longer/x'), 'b')
    assert.equal(await reached('/match/longer'), 'c')
    assert.equal(await reached('/match', { method: 'PUT' }), 'c')
    assert.equal(await reached('/tie', { headers: { 'x-more': '1' } }), 'c')
  })

  test('are selected by age, name and rule if they are equally specific', async () => {
    assert.equal(await reached('/tie'), 'a')
    assert.equal(await reached('/name'), 'a')
    assert.equal(await reached('/rule'), 'a')
  })

  test('change headers of requests and responses', async () => {
    const { headers } = echoed(
      await send('/modified', { headers: { 'X-Header-Remove': '1', 'X-Header-Add-Append': 'append-val-1' } }),
    )
    assert.deepEqual(
      [headers['x-header-set'], headers['x-header-add'], headers['x-header-add-append']],
      ['set-overwrites-values', 'header-val-1', 'append-val-1, header-val-2'],
    )
    assert.equal(headers['x-header-remove'], undefined)
    assert.equal((await send('/modified')).headers['x-header-add'], 'header-val-1')
  })

  test('change headers by backend', async () => {
    for (let i = 0; i < 4; i++) {
      const { name, headers } = echoed(await send('/backend-modified'))
      assert.equal(headers['x-to'], name)
    }
  })

  test('spread requests by weight', async () => {
    assert.deepEqual(await counted(20, () => reached('/weighted')), { a: 14, b: 6 })
  })

  test('reply 500 for an invalid backend, and 503 for one without endpoints, by its weight', async () => {
    const statuses = (path: string) => counted(10, async () => (await send(path)).status)
    assert.deepEqual(await statuses('/half-invalid'), { 200: 5, 500: 5 })
    assert.deepEqual(await statuses('/half-empty'), { 200: 5, 503: 5 })
    assert.deepEqual(await statuses('/no-backends'), { 500: 10 })
    assert.deepEqual(await statuses('/weightless'), { 500: 10 })
  })

  for (const [name, [, location]] of Object.entries(redirects))
    test(`redirect by ${name}`, async () => {
      const { headers, status } = await send(`/redirect/${encodeURIComponent(name)}/x?q`)
      const { port } = new URL(daemon.url('default'))
      assert.deepEqual([status, headers.location], [302, location.replace('PORT', port)])
    })

  test('redirect with a status', async () => {
    for (const status of [301, 302, 303, 307, 308])
      assert.equal((await send(`/status/${String(status)}`)).status, status)
  })

  test('rewrite paths and hosts', async () => {
    assert.equal(echoed(await send('/strip/three')).target, '/three')
    assert.equal(echoed(await send('/strip')).target, '/')
    const { target, headers } = echoed(await send('/full/two?q'))
    assert.deepEqual([target, headers.host], ['/one?q', 'one.example.org'])
  })

  test('retry listed statuses as often as configured', async () => {
    const status = async (path: string) => (await send(`/retry/${path}`)).status
    assert.equal(await status('500/2/first'), 200)
    assert.equal(await status('500/3/second'), 500)
    assert.equal(await status('502/1/third'), 502)
    assert.equal(await status('503/1/fourth'), 200)
    assert.deepEqual([...attempts.values()], [3, 3, 1, 2])
  })

  test('end requests and attempts in time', async () => {
    assert.equal((await send('/timeout')).status, 504)
    assert.equal((await send('/backend-timeout')).status, 504)
  })

  test('mirror requests with their bodies to several services', async () => {
    const [, b, c] = servers
    const asked = { method: 'POST', body: 'the body' }
    assert.equal(echoed(await send('/mirrored/x', asked)).name, 'a')
    assert.equal(echoed(await send('/backend-mirrored/y', asked)).name, 'a')
    const copies = (server: EchoUpstream | undefined) =>
      (server?.asked ?? [])
        .filter(({ target }) => target.includes('mirrored/'))
        .map(({ target, body }) => `${target} ${body}`)
    while (copies(b).length < 2 || copies(c).length < 1) await new Promise(setImmediate)
    assert.deepEqual(copies(b).sort(), ['/backend-mirrored/y the body', '/mirrored/x the body'])
    assert.deepEqual(copies(c), ['/mirrored/x the body'])
  })

  test('reply to preflights', async () => {
    const preflight = (origin: string) =>
      send('/cors', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-header-1, x-header-2',
        },
      })
    for (const origin of ['https://www.foo.com', 'https://xpto.www.bar.com']) {
      const { status, headers } = await preflight(origin)
      assert.deepEqual(
        [
          status,
          ...[
            'allow-origin',
            'allow-methods',
            'allow-headers',
            'expose-headers',
            'max-age',
            'allow-credentials',
          ].map((name) => String(headers[`access-control-${name}`]).replaceAll(' ', '')),
        ],
        [200, origin, 'GET,OPTIONS', 'x-header-1,x-header-2', 'x-header-3,x-header-4', '3600', 'true'],
      )
    }
    const { headers } = await preflight('https://foobar.com')
    assert.equal(headers['access-control-allow-origin'], undefined)
  })
})
