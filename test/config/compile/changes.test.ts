import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { ConfigurationCompiler } from '../../../src/config/compile.ts'
import { parseConfig } from '../../../src/config/parse.ts'
import type { ConfigFile } from '../../../src/config/schema/file-types.gen.ts'
import type { CompiledListener, Snapshot } from '../../../src/model/resources/snapshot.ts'
import { ofExchange } from '../../../src/pipeline/of-exchange.ts'
import { faultReply } from '../../../src/pipeline/fault-reply.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { Registry } from '../../../src/upstream/registry.ts'

let registry: Registry
let compiler: ConfigurationCompiler

beforeEach(() => {
  registry = new Registry()
  compiler = new ConfigurationCompiler({ registry, rescuer: faultReply() })
})

afterEach(() => registry.close(0))

/** The labels of the route of each path: an object that a compiled route keeps for as long as it is taken over. */
const routesOf = (snapshot: Snapshot, bind = 'bind/3000'): Readonly<Record<string, unknown>> => {
  const [listener] = snapshot.binds.get(bind)?.listeners ?? []
  assert.ok(listener)
  return Object.fromEntries(paths.map((path) => [path, labelsAt(listener, snapshot, path)]))
}

const labelsAt = (listener: CompiledListener, snapshot: Snapshot, path: string): unknown => {
  const x = exchange({ path, snapshot, labels: listener.labels })
  // The labels are set before the route's pipeline runs, and the call of its backend is cancelled.
  listener
    .pipeline(ofExchange(x))
    .subscribe({ error: () => undefined })
    .unsubscribe()
  return x.labels
}

const paths = ['/a', '/b', '/group', '/mcp', '/authorized', '/tunnel', '/mirror', '/service']

const base: ConfigFile = {
  gateways: { default: { port: 3000 } },
  backends: [
    { name: 'plain', host: '127.0.0.1:9001' },
    { name: 'special', host: '127.0.0.1:9002' },
  ],
  services: [{ name: 's', namespace: 'default', hostname: 's.test', ports: { 80: 8080 } }],
  workloads: [
    {
      uid: 'w',
      name: 'w',
      namespace: 'default',
      workloadIps: ['127.0.0.2'],
      services: { 'default/s.test': { 80: 8080 } },
    },
  ],
  routeGroups: [{ name: 'group', routes: [{ backends: [{ backend: '/special' }] }] }],
  routes: [
    { name: 'a', matches: [{ path: { exact: '/a' } }], backends: [{ backend: '/plain' }] },
    { name: 'b', matches: [{ path: { exact: '/b' } }], backends: [{ host: '127.0.0.1:9003' }] },
    { name: 'group', matches: [{ path: { exact: '/group' } }], backends: [{ routeGroup: 'group' }] },
    {
      name: 'mcp',
      matches: [{ path: { exact: '/mcp' } }],
      backends: [{ mcp: { targets: [{ name: 't', mcp: { backend: '/special', path: '/mcp' } }] } }],
    },
    {
      name: 'authorized',
      matches: [{ path: { exact: '/authorized' } }],
      policies: { extAuthz: { backend: '/special', protocol: { http: {} } } },
      backends: [{ host: '127.0.0.1:9003' }],
    },
    {
      name: 'tunnel',
      matches: [{ path: { exact: '/tunnel' } }],
      backends: [{ host: '127.0.0.1:9003', policies: { backendTunnel: { proxy: { backend: '/special' } } } }],
    },
    {
      name: 'mirror',
      matches: [{ path: { exact: '/mirror' } }],
      policies: { requestMirror: [{ backend: { backend: '/special' }, percentage: 1 }] },
      backends: [{ host: '127.0.0.1:9003' }],
    },
    {
      name: 'service',
      matches: [{ path: { exact: '/service' } }],
      backends: [{ service: { name: 'default/s.test', port: 80 } }],
    },
  ],
}

const compiled = (file: ConfigFile): Promise<Snapshot> => {
  const { resources, hash } = parseConfig(JSON.stringify(file, undefined, 2), 'changes.yaml', {})
  return compiler.compile({ resources, hash })
}

/** The paths whose routes were compiled again. */
const changedBy = async (before: ConfigFile, after: ConfigFile): Promise<readonly string[]> => {
  const first = routesOf(await compiled(before))
  const second = routesOf(await compiled(after))
  return paths.filter((path) => first[path] !== second[path])
}

const withRoute = (name: string, change: object): ConfigFile => ({
  ...base,
  routes: base.routes?.map((route) => (route.name === name ? { ...route, ...change } : route)) ?? [],
})

suite('of a configuration that is loaded again', () => {
  test('nothing is compiled if nothing has changed', async () => {
    const first = await compiled(base)
    const second = await compiled(base)
    assert.notEqual(second, first)
    assert.equal(second.binds.get('bind/3000'), first.binds.get('bind/3000'))
  })

  test('a changed route is compiled alone', async () => {
    assert.deepEqual(
      await changedBy(base, withRoute('b', { policies: { timeout: { requestTimeout: '5s' } } })),
      ['/b'],
    )
  })

  test('a bind without a change is taken over as it is', async () => {
    const two = (host: string): ConfigFile => ({
      gateways: { default: { port: 3000 }, other: { port: 3001 } },
      routes: [
        { name: 'a', gateways: 'default', backends: [{ host }] },
        { name: 'b', gateways: 'other', backends: [{ host: '127.0.0.1:9003' }] },
      ],
    })
    const first = await compiled(two('127.0.0.1:9001'))
    const second = await compiled(two('127.0.0.1:9002'))
    assert.notEqual(second.binds.get('bind/3000'), first.binds.get('bind/3000'))
    assert.equal(second.binds.get('bind/3001'), first.binds.get('bind/3001'))
  })

  test('a line that is added above the others changes none of them', async () => {
    const added = {
      name: 'first',
      matches: [{ path: { exact: '/new' } }],
      backends: [{ host: '127.0.0.1:1' }],
    }
    assert.deepEqual(await changedBy(base, { ...base, routes: [added, ...(base.routes ?? [])] }), [])
  })

  test('a changed backend is compiled wherever it is used', async () => {
    const changed = { name: 'special', host: '127.0.0.1:9999' }
    const backends = [...(base.backends ?? []).filter(({ name }) => name !== 'special'), changed]
    assert.deepEqual(await changedBy(base, { ...base, backends }), [
      '/group',
      '/mcp',
      '/authorized',
      '/tunnel',
      '/mirror',
    ])
  })

  test('changed endpoints of a service are compiled where it is used', async () => {
    const [workload] = base.workloads ?? []
    assert.ok(workload)
    const workloads = [workload, { ...workload, uid: 'v', name: 'v', workloadIps: ['127.0.0.3'] }]
    assert.deepEqual(await changedBy(base, { ...base, workloads }), ['/service'])
    assert.deepEqual(await changedBy({ ...base, workloads }, base), ['/service'])
  })

  test('a policy for a backend is compiled where the backend is used', async () => {
    const policies = [
      {
        name: { name: 'p' },
        target: { backend: { backend: { name: 'plain', namespace: '' } } },
        policy: { requestHeaderModifier: { set: { 'x-by': 'policy' } } },
      },
    ]
    assert.deepEqual(await changedBy(base, { ...base, policies }), ['/a'])
  })

  test('a policy for a gateway compiles all of its routes, and no others', async () => {
    const policies = [
      {
        name: { name: 'p' },
        target: { gateway: { gatewayName: 'default' } },
        policy: { responseHeaderModifier: { set: { 'x-by': 'policy' } } },
      },
    ]
    const first = await compiled(base)
    const second = await compiled({ ...base, policies })
    const third = await compiled({ ...base, policies })
    assert.deepEqual(
      paths.filter((path) => routesOf(first)[path] === routesOf(second)[path]),
      // The policy applies to the route that delegates, not to those of its group.
      ['/group'],
    )
    assert.deepEqual(routesOf(third), routesOf(second))
    assert.equal(third.binds.get('bind/3000'), second.binds.get('bind/3000'))
  })

  test('a changed access log of a listener compiles nothing, and a log or a limit is in force at once', async () => {
    const attached = (frontend: object) => ({
      ...base,
      policies: [
        { name: { name: 'p' }, target: { gateway: { gatewayName: 'default' } }, policy: { frontend } },
      ],
    })
    const log = (value: string) => attached({ accessLog: { add: { a: value } } })
    assert.deepEqual(await changedBy(log('"one"'), log('"two"')), [])
    assert.deepEqual(await changedBy(base, log('"one"')), [])
    const logOf = async (file: ConfigFile) =>
      (await compiled(file)).binds.get('bind/3000')?.listeners[0]?.frontend
    assert.deepEqual((await logOf(log('"three"')))?.accessLog?.add, [['a', '"three"']])
    assert.equal((await logOf(base))?.accessLog, undefined)
    const limit = (maxBufferSize: number) => attached({ http: { maxBufferSize } })
    assert.deepEqual(await changedBy(base, limit(100)), paths)
    assert.deepEqual(await changedBy(limit(100), limit(101)), paths)
    assert.deepEqual(await changedBy(limit(101), limit(101)), [])
  })

  test('a policy for one route compiles that route', async () => {
    const policies = [
      {
        name: { name: 'p' },
        target: { route: { name: 'b' } },
        policy: { timeout: { requestTimeout: '5s' } },
      },
    ]
    assert.deepEqual(await changedBy(base, { ...base, policies }), ['/b'])
  })

  test('everything is compiled if a setting has changed that concerns everything', async () => {
    const frontendPolicies = { http: { maxBufferSize: 12_345 } }
    assert.deepEqual(await changedBy(base, { ...base, frontendPolicies }), paths)
  })

  test('routes are compiled again when the first login is added, whose cookies they must remove', async () => {
    const oidc = {
      issuer: 'https://login.test',
      clientId: 'c',
      clientSecret: 's',
      redirectURI: 'https://gateway.test/callback',
    }
    assert.deepEqual(await changedBy(base, withRoute('b', { policies: { oidc } })), paths)
  })
})

suite('shared resources', () => {
  const one = (host: string): ConfigFile => ({
    gateways: { default: { port: 3000 } },
    routes: [
      { name: 'a', matches: [{ path: { exact: '/a' } }], backends: [{ host: '127.0.0.1:9001' }] },
      { name: 'b', matches: [{ path: { exact: '/b' } }], backends: [{ host }] },
    ],
  })

  test('of parts that were taken over stay open until the last snapshot that has them ends', async () => {
    const first = await compiled(one('127.0.0.1:9002'))
    const { size } = registry
    first.exchanges = 1
    await compiled(one('127.0.0.1:9003'))
    const second = await compiled(one('127.0.0.1:9004'))
    second.exchanges = 1
    registry.sweep()
    // 9001 is used by both, 9002 by the exchange of the first snapshot, 9004 by the second; 9003 by no exchange.
    assert.equal(registry.size, size + 1)
    first.exchanges = 0
    registry.sweep()
    assert.equal(registry.size, size)
    await compiled({ gateways: { default: { port: 3000 } } })
    second.exchanges = 0
    registry.sweep()
    assert.equal(registry.size, 0)
  })

  test('of a configuration that cannot be compiled are released, and those of the one before stay', async () => {
    await compiled(one('127.0.0.1:9002'))
    const { size } = registry
    const broken: ConfigFile = {
      ...one('127.0.0.1:9003'),
      backends: [{ name: 'admin', internal: 'forward' }],
    }
    const routes = [...(broken.routes ?? []), { name: 'c', backends: [{ backend: '/admin' }] }]
    await assert.rejects(compiled({ ...broken, routes }), TypeError)
    assert.equal(registry.size, size)
    const after = await compiled(one('127.0.0.1:9002'))
    assert.equal(registry.size, size)
    assert.ok(after.binds.has('bind/3000'))
  })

  test('of a configuration that was superseded while it was compiled are released', async () => {
    await compiled(one('127.0.0.1:9002'))
    const { size } = registry
    const superseded = new AbortController()
    const many = Array.from({ length: 3_000 }, (_, i) => ({
      name: `r${i}`,
      matches: [{ path: { exact: `/r${i}` } }],
      backends: [{ host: `127.0.0.1:${10_000 + i}` }],
    }))
    const { resources, hash } = parseConfig(
      JSON.stringify({ ...one('127.0.0.1:9003'), routes: many }),
      'many.yaml',
      {},
    )
    const large = compiler.compile({ resources, hash }, superseded.signal)
    const next = compiled(one('127.0.0.1:9004'))
    setImmediate(() => superseded.abort(new Error('superseded')))
    await assert.rejects(large, /superseded/)
    const snapshot = await next
    registry.sweep()
    assert.equal(registry.size, size)
    assert.deepEqual(
      snapshot.resources.backends.map(({ spec }) => 'target' in spec && spec.target),
      [
        { host: '127.0.0.1', port: 9001 },
        { host: '127.0.0.1', port: 9004 },
      ],
    )
  })
})

test('a large configuration gives the event loop back while it is compiled', async () => {
  const routes = Array.from({ length: 3_000 }, (_, i) => ({
    name: `r${i}`,
    matches: [{ path: { exact: `/r${i}` } }],
    backends: [{ host: '127.0.0.1:9001' }],
  }))
  let turns = 0
  let isCompiled = false
  const count = (): void => {
    turns++
    if (!isCompiled) setImmediate(count)
  }
  setImmediate(count)
  await compiled({ gateways: { default: { port: 3000 } }, routes })
  isCompiled = true
  assert.ok(turns > 2, `${turns} turns`)
})
