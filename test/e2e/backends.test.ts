import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

interface Upstreams {
  readonly a: EchoUpstream
  readonly b: EchoUpstream
  readonly socket: string
}

const keys = Array.from({ length: 40 }, (_, i) => `key-${i}`)

const route = (name: string, backends: string, more = ''): string =>
  `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], backends: [${backends}]${more} }`

/** Evicts an endpoint after two failures. With turns both get requests, whatever their latency is. */
const failingTwice = (duration: string): string =>
  `{ service: { name: shop/pair.svc, port: 80 }, policies: { loadBalancing: { roundRobin: {} }, health: { eviction: { consecutiveFailures: 2, duration: ${duration} } } } }`

const configuration = ({ a, b, socket }: Upstreams): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends:
  - name: named
    host: "${a.host}"
    policies: { requestHeaderModifier: { set: { x-named: "yes" } }, responseHeaderModifier: { add: { x-from: named } } }
  - { name: dialer, dynamic: { allow: { hosts: ["*"], privateRanges: [127.0.0.1/32] } } }
services:
  - { name: pair, namespace: shop, hostname: pair.svc, ports: { "80": 8080 }, vips: [10.0.0.1] }
  - { name: sick, namespace: shop, hostname: sick.svc, ports: { "80": 8080 } }
workloads:
  - { uid: w1, workloadIps: [127.0.0.1], services: { shop/pair.svc: { "80": ${a.port} } } }
  - { uid: w2, workloadIps: [127.0.0.1], services: { shop/pair.svc: { "80": ${b.port} } } }
  - { uid: w3, workloadIps: [127.0.0.1], status: Unhealthy, services: { shop/pair.svc: { "80": 1 }, shop/sick.svc: { "80": ${a.port} } } }
policies:
  - { name: { name: on-gateway }, target: { gateway: { gatewayName: default } }, policy: { responseHeaderModifier: { add: { x-by: gateway } } } }
  - { name: { name: on-route }, target: { route: { name: named } }, policy: { responseHeaderModifier: { add: { x-by: route } } } }
  - { name: { name: on-backend }, target: { backend: { backend: { name: named } } }, policy: { requestHeaderModifier: { set: { x-targeted: backend } } } }
  - { name: { name: on-service }, target: { backend: { service: { hostname: pair.svc, namespace: shop } } }, policy: { requestHeaderModifier: { set: { x-targeted: service } } } }
  - { name: { name: early }, target: { gateway: { gatewayName: default } }, phase: gateway, policy: { transformations: { response: { set: { x-early: "'yes'" } } } } }
routes:
${route('weights', `{ host: "${a.host}", weight: 3 }, { host: "${b.host}", weight: 1 }, { host: "127.0.0.1:1", weight: 0 }`)}
${route('named', '{ backend: named, policies: { responseHeaderModifier: { add: { x-from: place } } } }')}
${route('by-key', '{ backend: /named }')}
${route('unix', `{ host: "unix:${socket}" }`)}
${route('pair', '{ service: { name: shop/pair.svc, port: 80 }, policies: { health: { eviction: { duration: 2h } } } }')}
${route('sick', '{ service: { name: shop/sick.svc, port: 80 } }')}
  - name: keys
    matches: [{ path: { pathPrefix: /keys } }]
    policies: { apiKey: { keys: [${keys.map((key) => `{ key: ${key} }`).join()}] } }
    backends: [{ service: { name: shop/pair.svc, port: 80 }, policies: { sessionAffinity: { source: apiKey.key } } }]
${route('stays', `{ service: { name: shop/pair.svc, port: 80 }, policies: { sessionAffinity: { source: "request.headers['x-user']" } } }`)}
${route('evicts', failingTwice('1h'))}
${route('returns', failingTwice('200ms'))}
${route('judges', `{ service: { name: shop/pair.svc, port: 80 }, policies: { health: { unhealthyExpression: "response.code == 404", eviction: { duration: 1h } } } }`)}
${route('one', `{ host: "${a.host}", policies: { health: { eviction: { duration: 1h } } } }`)}
${route('dials', '{ backend: dialer }')}
${route('nobody', '{ dynamic: {} }')}
${route('public', '{ dynamic: { allow: { hosts: ["*"] } } }')}
${route('some', `{ dynamic: { allow: { hosts: ["127.0.0.1", "*.ok.example"], ports: [${a.port}], privateRanges: [127.0.0.0/8] } } }`)}
${route('aimed', `{ dynamic: { target: "'127.0.0.1:' + request.headers['x-port']", allow: { hosts: ["127.0.0.1"], privateRanges: [127.0.0.1/32] } } }`)}
`

suite('backends', () => {
  let daemon: Daemon
  let a: EchoUpstream
  let b: EchoUpstream
  let local: EchoUpstream
  const folder = mkdtempSync(join(tmpdir(), 'socket-'))
  before(async () => {
    const socket = join(folder, 'upstream.sock')
    ;[a, b, local] = await Promise.all([startEcho('a'), startEcho('b'), startEcho('unix', socket)])
    daemon = await startDaemon(configuration({ a, b, socket }))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const upstream of [a, b, local]) await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const get = (target: string, asked: RequestParts = {}, gateway = 'default') =>
    sendRequest(daemon.url(gateway), target, asked)
  const who = async (target: string, asked?: RequestParts) => echoed(await get(target, asked)).name
  const many = async (count: number, target: string, asked?: (i: number) => RequestParts) => {
    const names = await Promise.all(Array.from({ length: count }, (_, i) => who(target, asked?.(i))))
    return { a: names.filter((name) => name === 'a').length, b: names.filter((name) => name === 'b').length }
  }

  test('are chosen by weight', async () => {
    const drawn = await many(200, '/weights')
    // Six standard deviations around 150.
    assert.ok(drawn.a > 112 && drawn.a < 188, JSON.stringify(drawn))
    assert.equal(drawn.a + drawn.b, 200)
  })

  test('have policies: of their own, where they are used, and by target', async () => {
    const answer = await get('/named')
    const { headers } = echoed(answer)
    assert.deepEqual([headers['x-named'], headers['x-targeted']], ['yes', 'backend'])
    assert.deepEqual(
      [answer.headers['x-from'], answer.headers['x-by'], answer.headers['x-early']],
      ['named, place', 'gateway, route', 'yes'],
    )
    assert.equal((await get('/by-key')).headers['x-by'], 'gateway')
  })

  test('can listen on unix sockets', async () => {
    const seen = echoed(await get('/unix/x?y', { headers: { host: 'shop.example' } }))
    assert.deepEqual([seen.name, seen.target, seen.headers.host], ['unix', '/unix/x?y', 'shop.example'])
  })

  test('can be services: every healthy workload gets requests', async () => {
    // The one with the lower latency is preferred. Settings of their own keep other tests from slowing one of them.
    const reached = new Set<string>()
    while (reached.size < 2) reached.add(await who('/pair'))
    assert.deepEqual([...reached].sort(), ['a', 'b'])
    const { headers } = echoed(await get('/pair'))
    assert.deepEqual([headers['x-targeted'], headers.host], ['service', 'pair.svc'])
  })

  test('fail with 503 if all workloads are unhealthy', async () => {
    const { status, text } = await get('/sick')
    assert.deepEqual([status, text], [503, 'no healthy backends'])
  })

  test('keep sessions by the keys of a service too', async () => {
    const nameFor = (key: string) => who('/keys', { headers: { authorization: `Bearer ${key}` } })
    const first = await Promise.all(keys.map(nameFor))
    assert.deepEqual(await Promise.all(keys.map(nameFor)), first)
    assert.deepEqual(new Set(first), new Set(['a', 'b']))
  })

  test('keep sessions, spread over all endpoints', async () => {
    const users = Array.from({ length: 40 }, (_, i) => `user-${i}`)
    const nameFor = (user: string) => who('/stays', { headers: { 'x-user': user } })
    const first = await Promise.all(users.map(nameFor))
    assert.deepEqual(await Promise.all(users.map(nameFor)), first)
    assert.deepEqual(new Set(first), new Set(['a', 'b']))
  })

  test('are evicted after failures', async () => {
    a.status = 503
    for (let i = 0; i < 4; i++) await get('/evicts')
    const before = a.asked.length
    const drawn = await many(10, '/evicts')
    assert.deepEqual([drawn, a.asked.length], [{ a: 0, b: 10 }, before])
    a.status = 200
  })

  test('return after their eviction', async () => {
    const evicted = daemon.printed(/an endpoint is used again/)
    a.status = 503
    for (let i = 0; i < 4; i++) await get('/returns')
    const before = a.asked.length
    a.status = 200
    while (a.asked.length === before) await get('/returns')
    await evicted
  })

  test('are evicted by an expression', async () => {
    const before = b.asked.length
    b.status = 404
    while (b.asked.length === before) await get('/judges')
    assert.deepEqual(await many(40, '/judges'), { a: 40, b: 0 })
    assert.equal(b.asked.length, before + 1)
    b.status = 200
  })

  test('are used anyway if all are evicted', async () => {
    a.status = 500
    await get('/one')
    a.status = 200
    assert.equal(await who('/one'), 'a')
  })

  const dial = (path: string, host: string, more: RequestParts['headers'] = {}) =>
    get(path, { headers: { host, ...more } })

  test('can be named by the request', async () => {
    assert.equal(echoed(await dial('/dials', b.host)).name, 'b')
    assert.equal(echoed(await dial('/some', a.host)).headers.host, a.host)
    assert.equal(echoed(await dial('/aimed', 'any.example', { 'x-port': String(b.port) })).name, 'b')
  })

  const refused: Readonly<Record<string, readonly [path: string, host: (port: number) => string]>> = {
    'nothing is allowed unless said': ['/nobody', (port) => `127.0.0.1:${port}`],
    loopback: ['/public', (port) => `127.0.0.1:${port}`],
    'another address of loopback': ['/public', (port) => `127.1.2.3:${port}`],
    'a name for loopback': ['/public', (port) => `localhost:${port}`],
    'a name in capitals': ['/public', (port) => `LOCALHOST.:${port}`],
    'a decimal number': ['/dials', (port) => `2130706433:${port}`],
    'a hexadecimal number': ['/dials', (port) => `0x7f000001:${port}`],
    'a hexadecimal part': ['/dials', (port) => `0x7f.0.0.1:${port}`],
    octal: ['/dials', (port) => `0177.0.0.1:${port}`],
    'octal of many zeros': ['/dials', (port) => `00000177.0.0.1:${port}`],
    'a short form': ['/dials', (port) => `127.1:${port}`],
    nothing: ['/public', (port) => `0.0.0.0:${port}`],
    zero: ['/dials', (port) => `0:${port}`],
    'IPv6 loopback': ['/public', (port) => `[::1]:${port}`],
    'a long form of IPv6 loopback': ['/public', (port) => `[0:0:0:0:0:0:0:1]:${port}`],
    'IPv6 unspecified': ['/public', (port) => `[::]:${port}`],
    'mapped loopback': ['/public', (port) => `[::ffff:127.0.0.1]:${port}`],
    'mapped loopback in hexadecimal': ['/public', (port) => `[::ffff:7f00:1]:${port}`],
    'NAT64 loopback': ['/public', (port) => `[64:ff9b::7f00:1]:${port}`],
    '6to4 loopback': ['/public', (port) => `[2002:7f00:1::]:${port}`],
    'metadata of clouds': ['/public', () => '169.254.169.254'],
    'mapped metadata': ['/public', () => '[::ffff:a9fe:a9fe]'],
    'private addresses': ['/public', () => '10.0.0.1'],
    'more private addresses': ['/public', () => '192.168.1.1'],
    'carrier-grade addresses': ['/public', () => '100.64.0.1'],
    'unique local addresses': ['/public', () => '[fd00::1]'],
    'link-local addresses': ['/public', () => '[fe80::1]'],
    multicast: ['/public', () => '224.0.0.1'],
    broadcast: ['/public', () => '255.255.255.255'],
    'another port': ['/some', (port) => `127.0.0.1:${port + 1}`],
    'the default port': ['/some', () => '127.0.0.1'],
    'a name that is not listed': ['/some', (port) => `ok.example:${port}`],
    'a name that ends like a listed one': ['/some', (port) => `notok.example:${port}`],
    'another address of the range': ['/some', (port) => `127.0.0.2:${port}`],
  }
  for (const [name, [path, host]] of Object.entries(refused))
    test(`cannot be reached by a destination that the request names: ${name}`, async () => {
      const before = a.asked.length
      const { status, text } = await dial(path, host(a.port))
      assert.deepEqual([status, text], [403, 'the requested destination is not allowed'])
      assert.equal(a.asked.length, before)
    })
})
