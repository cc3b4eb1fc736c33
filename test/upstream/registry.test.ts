import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Evaluate } from '../../src/model/exchange/expression.ts'
import { Fault } from '../../src/model/exchange/fault.ts'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import type { Resources } from '../../src/model/resources/resources.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { Registry, type RegistryOptions } from '../../src/upstream/registry.ts'
import type { Lookup } from '../../src/upstream/connect/dns-cache.ts'
import { UpstreamRecorder } from '../support/upstream-recorder.ts'
import { beginCall, callUpstream } from '../support/call-upstream.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { streamBody, until } from '../support/stream-body.ts'
import { httpServer, listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

const none = (text: string): Evaluate => {
  throw new Error(`no expression was expected: ${text}`)
}

const at = (key: string) => ({ kind: 'backend', key }) as const

const withRegistry = async (
  options: RegistryOptions,
  act: (registry: Registry) => Promise<void>,
): Promise<void> => {
  const registry = new Registry(options)
  try {
    await act(registry)
  } finally {
    await registry.close()
  }
}

/** Activates resources, with one upstream per backend. */
const commit = (
  registry: Registry,
  resources: Resources,
  policies: BackendPolicies = {},
  expression = none,
) => {
  const session = registry.session(resourceIndex(resources), expression)
  const upstreams = resources.backends.map(({ key }) => session.upstream(at(key), policies)!)
  const snapshot = snapshotOf(resources)
  session.commit(snapshot)
  return { upstreams, first: upstreams[0]!, snapshot }
}

const local = (server: UpstreamServer) => ({ host: '127.0.0.1', port: server.port })

const say = (text: string) => httpServer((_, res) => res.end(text))

/** Servers on one port of several loopback addresses, each replying with its own address. */
const onAddresses = async (...addresses: string[]) => {
  const probe = await httpServer(() => undefined)
  const { port } = probe
  await probe[Symbol.asyncDispose]()
  const servers = await Promise.all(
    addresses.map(async (address) => {
      const server = createServer((_, res) => res.end(address))
      server.listen(port, address)
      await once(server, 'listening')
      return server
    }),
  )
  return {
    port,
    [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
      return Promise.resolve()
    },
  }
}

test('an upstream', async (t) => {
  await t.test("at an address keeps the client's host", async () => {
    await using server = await httpServer((req, res) => res.end(req.headers.host))
    await withRegistry({}, async (registry) => {
      const { first } = commit(registry, backendsAt({ 'default/api': local(server) }))
      assert.deepEqual(first.labels, { name: 'default/api', type: 'static', protocol: 'http' })
      const x = exchange({ headers: { host: 'gateway.test' } })
      assert.equal((await callUpstream(first, x)).text, 'gateway.test')
      assert.equal(x.upstream.endpoint, `127.0.0.1:${server.port}`)
    })
  })

  await t.test('with a name has its name as the host, with a port other than the default', async () => {
    await using server = await httpServer((req, res) => res.end(req.headers.host))
    const lookup: Lookup = (host, told) => told(null, host === 'up.test' ? ['127.0.0.1'] : [])
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: server.port } }))
      assert.equal((await callUpstream(first, exchange())).text, `up.test:${server.port}`)
      const rewritten = exchange({ headers: { host: 'rewritten.test' }, authority: 'rewritten.test' })
      rewritten.request.authorityFixed = true
      assert.equal((await callUpstream(first, rewritten)).text, 'rewritten.test')
    })
  })

  await t.test('at a unix socket is reached there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
    const unix = join(folder, 'up.sock')
    const server = createServer((req, res) => res.end(`${req.url ?? ''} ${req.headers.host ?? ''}`)).listen(
      unix,
    )
    await once(server, 'listening')
    await withRegistry({}, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { unix } }))
      const x = exchange({ path: '/a' })
      assert.equal((await callUpstream(first, x)).text, '/a gateway.test')
      assert.equal(x.upstream.endpoint, `unix:${unix}`)
    })
    server.close()
    rmSync(folder, { recursive: true })
  })

  await t.test('with an unknown name is a fault', async () => {
    const lookup: Lookup = (_, told) => told(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'nowhere.test', port: 80 } }))
      const { response: answer } = await callUpstream(first, exchange())
      assert.deepEqual([answer.fault?.status, answer.fault?.code], [503, 'upstream_dns'])
    })
  })

  await t.test('is not called for a client that disconnected during the lookup', async () => {
    await using server = await say('hello')
    let told: (() => void) | undefined
    const lookup: Lookup = (_, tell) => (told = () => tell(null, ['127.0.0.1']))
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: server.port } }))
      const left = new UpstreamRecorder()
      first.call(exchange(), left).abort()
      told?.()
      assert.equal((await callUpstream(first, exchange())).text, 'hello')
      assert.deepEqual([server.opened(), left.status, left.fault], [1, undefined, undefined])
    })
  })

  await t.test('uses no proxy of the environment', async () => {
    await using server = await say('direct')
    process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:1'
    try {
      await withRegistry({}, async (registry) => {
        const { first } = commit(registry, backendsAt({ api: local(server) }))
        assert.equal((await callUpstream(first, exchange())).text, 'direct')
      })
    } finally {
      delete process.env.HTTP_PROXY
      delete process.env.http_proxy
    }
  })

  await t.test('has a connect timeout', async () => {
    await withRegistry({}, async (registry) => {
      // This block of addresses is not routed, so that connections are not refused.
      const { first } = commit(registry, backendsAt({ api: { host: '192.0.2.1', port: 9 } }), {
        tcp: { connectTimeoutMs: 30 },
      })
      const { response: answer } = await callUpstream(first, exchange())
      assert.deepEqual([answer.fault?.status, answer.fault?.code], [503, 'upstream_connect'])
    })
  })

  await t.test('opens no more connections than configured', async () => {
    await using server = await httpServer((_, res) => setTimeout(() => res.end('x'), 10))
    const upstream = {
      keepalives: { enabled: true, timeMs: 1_000, intervalMs: 1_000, retries: 3 },
      connectTimeoutMs: 60_000,
      poolIdleTimeoutMs: 60_000,
      poolMaxSize: 2,
    }
    await withRegistry({ upstream }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: local(server) }))
      const answers = await Promise.all(Array.from({ length: 6 }, () => callUpstream(first, exchange())))
      assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['x']))
      assert.equal(server.opened(), 2)
    })
  })
})

test('an upstream with several addresses', async (t) => {
  await t.test('tries another one if one is unreachable, without the client noticing', async () => {
    await using servers = await onAddresses('127.0.0.2')
    const lookup: Lookup = (_, told) => told(null, ['127.0.0.1', '127.0.0.3', '127.0.0.2'])
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: servers.port } }))
      for (let i = 0; i < 10; i++) {
        const x = exchange({ method: 'POST', body: 'once' })
        assert.equal((await callUpstream(first, x)).text, '127.0.0.2')
        assert.equal(x.upstream.endpoint, `127.0.0.2:${servers.port}`)
      }
    })
  })

  for (const [what, parts] of Object.entries({ '': {}, ' with trailers': { hasTrailers: true } }))
    await t.test(`replays a body that streams in${what} to another one`, async () => {
      const server = createServer((req, res) => req.pipe(res)).listen(0, '127.0.0.2')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const lookup: Lookup = (_, told) => told(null, ['127.0.0.1', '127.0.0.3', '127.0.0.2'])
      await withRegistry({ lookup }, async (registry) => {
        const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port } }))
        for (let i = 0; i < 5; i++) {
          const x = exchange({ method: 'POST', body: streamBody(['a', 'b']), ...parts })
          assert.equal((await callUpstream(first, x)).text, 'ab')
        }
      })
      server.close()
    })

  await t.test('fails if none is reachable', async () => {
    await using servers = await onAddresses('127.0.0.2')
    const lookup: Lookup = (_, told) => told(null, ['127.0.0.3', '127.0.0.4'])
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: servers.port } }))
      const { response: answer } = await callUpstream(first, exchange())
      assert.equal(answer.fault?.code, 'upstream_connect')
    })
  })

  await t.test('calls all of them', async () => {
    await using servers = await onAddresses('127.0.0.1', '127.0.0.2', '127.0.0.3')
    const lookup: Lookup = (_, told) => told(null, ['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: servers.port } }))
      const texts = await Promise.all(
        Array.from({ length: 60 }, async () => (await callUpstream(first, exchange())).text),
      )
      assert.deepEqual([...new Set(texts)].sort(), ['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    })
  })

  await t.test('skips one that fails, by the status or by an expression', async () => {
    const bad = createServer((_, res) => res.writeHead(503).end('bad'))
    const good = createServer((_, res) => res.end('good'))
    bad.listen(0, '127.0.0.1')
    await once(bad, 'listening')
    const { port } = bad.address() as { port: number }
    good.listen(port, '127.0.0.2')
    await once(good, 'listening')
    const lookup: Lookup = (_, told) => told(null, ['127.0.0.1', '127.0.0.2'])
    const judging: readonly [BackendPolicies, ((text: string) => Evaluate)?][] = [
      [{ health: { eviction: { durationMs: 60_000 } } }],
      [
        { health: { unhealthyExpression: 'says bad', eviction: { durationMs: 60_000 } } },
        () => (x) => ({ value: x.reply?.status === 503 }),
      ],
    ]
    for (const [policies, expression] of judging)
      await withRegistry({ lookup, random: () => 0 }, async (registry) => {
        const resources = backendsAt({ api: { host: 'up.test', port } })
        const { first } = commit(registry, resources, policies, expression)
        const texts: string[] = []
        for (let i = 0; i < 10; i++) texts.push((await callUpstream(first, exchange())).text)
        assert.ok(texts.filter((text) => text === 'bad').length <= 1, texts.join())
      })
    bad.close()
    good.close()
  })

  await t.test('follows its name to new addresses, and closes connections to the old ones', async () => {
    await using servers = await onAddresses('127.0.0.1', '127.0.0.2')
    let addresses = ['127.0.0.1']
    const lookup: Lookup = (_, told) => told(null, addresses)
    await withRegistry({ lookup }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: { host: 'up.test', port: servers.port } }))
      assert.equal((await callUpstream(first, exchange())).text, '127.0.0.1')
      addresses = ['127.0.0.2']
      const answer = beginCall(first, exchange(), performance.now() + 20_000)
      await answer.responded
      assert.equal(String(await answer.body?.read(100)), '127.0.0.2')
    })
  })

  await t.test('as a service uses its healthy workloads', async () => {
    await using servers = await onAddresses('127.0.0.1', '127.0.0.2', '127.0.0.3')
    const resources: Resources = {
      ...backendsAt({}),
      services: [
        { name: 'api', namespace: 'shop', hostname: 'api.shop', ports: { 80: servers.port }, vips: [] },
        { name: 'idle', namespace: 'shop', hostname: 'idle.shop', ports: { 80: 80 }, vips: [] },
      ],
      workloads: [
        workload('a', '127.0.0.1', 'healthy'),
        workload('b', '127.0.0.2', 'unhealthy'),
        workload('c', '127.0.0.3', 'healthy', { 80: servers.port }),
      ],
    }
    await withRegistry({}, async (registry) => {
      const session = registry.session(resourceIndex(resources), () => (x) => ({
        value: x.request.headers.get('x-user'),
      }))
      const service = session.upstream({ kind: 'service', name: 'shop/api.shop', port: 80 }, {})!
      const sticky = session.upstream(
        { kind: 'service', name: 'shop/api.shop', port: 80 },
        { sessionAffinity: { source: 'request.headers["x-user"]' } },
      )!
      const idle = session.upstream({ kind: 'service', name: 'shop/idle.shop', port: 80 }, {})!
      assert.equal(session.upstream({ kind: 'service', name: 'shop/none', port: 80 }, {}), undefined)
      session.commit(snapshotOf(resources))
      assert.deepEqual(service.labels, { name: 'shop/api.shop', type: 'service', protocol: 'http' })
      const texts = await Promise.all(
        Array.from({ length: 40 }, async () => (await callUpstream(service, exchange())).text),
      )
      assert.deepEqual([...new Set(texts)].sort(), ['127.0.0.1', '127.0.0.3'])
      const { response: answer } = await callUpstream(idle, exchange())
      assert.deepEqual(
        [answer.fault?.status, answer.fault?.code, answer.fault?.message, answer.fault?.reason],
        [503, 'no_endpoint', 'no healthy backends', 'NoHealthyBackend'],
      )
      const users = new Map<string, Set<string>>()
      // So many that both workloads have some, whatever their ports are.
      for (let i = 0; i < 96; i++) {
        const user = `user-${i % 32}`
        const { text } = await callUpstream(sticky, exchange({ headers: { 'x-user': user } }))
        users.set(user, (users.get(user) ?? new Set()).add(text))
      }
      for (const places of users.values()) assert.equal(places.size, 1)
      assert.equal(new Set([...users.values()].flatMap((places) => [...places])).size, 2)
    })
  })
})

test('the upstream registry', async (t) => {
  await t.test('keeps connections over configurations with the same upstream', async () => {
    await using server = await say('hello')
    await withRegistry({}, async (registry) => {
      for (let i = 0; i < 4; i++) {
        const { first } = commit(registry, backendsAt({ [`name-${i}`]: local(server) }))
        assert.equal((await callUpstream(first, exchange())).text, 'hello')
        await turn()
      }
      assert.equal(server.opened(), 1)
      // The upstream, and the counts of its calls.
      assert.equal(registry.size, 2)
    })
  })

  await t.test('opens others for other policies', async () => {
    await using server = await say('hello')
    await withRegistry({}, async (registry) => {
      const resources = backendsAt({ api: local(server) })
      const session = registry.session(resourceIndex(resources), none)
      const one = session.upstream(at('api'), {})!
      const same = session.upstream(at('api'), {})!
      const other = session.upstream(at('api'), { tcp: { connectTimeoutMs: 5_000 } })!
      session.commit(snapshotOf(resources))
      for (const upstream of [one, same, other]) {
        await callUpstream(upstream, exchange())
        await turn()
      }
      assert.equal(server.opened(), 2)
    })
  })

  await t.test(
    'closes unused upstreams when the last exchange of their configuration has ended',
    async () => {
      await using old = await say('old')
      await using young = await say('young')
      await withRegistry({}, async (registry) => {
        const before = commit(registry, backendsAt({ api: local(old) }))
        before.snapshot.exchanges = 1
        await callUpstream(before.first, exchange())
        const after = commit(registry, backendsAt({ api: local(young) }))
        await callUpstream(after.first, exchange())
        await turn()
        registry.sweep()
        // An exchange that was admitted before may call only now.
        assert.equal((await callUpstream(before.first, exchange())).text, 'old')
        assert.deepEqual([registry.size, old.sockets.size, young.sockets.size], [3, 1, 1])
        before.snapshot.exchanges = 0
        registry.sweep()
        await until(() => old.sockets.size === 0)
        assert.deepEqual([registry.size, young.sockets.size], [2, 1])
      })
    },
  )

  await t.test('detects by itself that the last exchange has ended', async () => {
    await using old = await say('old')
    await withRegistry({}, async (registry) => {
      const before = commit(registry, backendsAt({ api: local(old) }))
      before.snapshot.exchanges = 1
      await callUpstream(before.first, exchange())
      commit(registry, backendsAt({}))
      before.snapshot.exchanges = 0
      await until(() => old.sockets.size === 0)
      assert.equal(registry.size, 0)
    })
  })

  await t.test('drains active calls before it closes their connection', async () => {
    let finish: (() => void) | undefined
    await using server = await httpServer((_, res) => {
      res.write('first ')
      finish = () => res.end('last')
    })
    await withRegistry({}, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: local(server) }))
      const answer = beginCall(first, exchange())
      await answer.responded
      commit(registry, backendsAt({}))
      assert.equal(registry.size, 0)
      finish?.()
      assert.equal(String(await answer.body?.read(100)), 'first last')
      await until(() => server.sockets.size === 0)
    })
  })

  await t.test('drops a configuration that was not activated', async () => {
    await using server = await say('hello')
    await withRegistry({}, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: local(server) }))
      await callUpstream(first, exchange())
      const other = backendsAt({ api: local(server), more: { host: '127.0.0.1', port: 9 } })
      const failed = registry.session(resourceIndex(other), none)
      failed.upstream(at('api'), {})
      failed.upstream(at('more'), {})
      assert.equal(registry.size, 4)
      failed.discard()
      assert.equal(registry.size, 2)
      await turn()
      assert.equal((await callUpstream(first, exchange())).text, 'hello')
      assert.equal(server.opened(), 1)
    })
  })

  await t.test('closes everything when it is closed', async () => {
    await using server = await say('hello')
    const registry = new Registry()
    const { first } = commit(registry, backendsAt({ api: local(server) }))
    await callUpstream(first, exchange())
    await registry.close()
    await until(() => server.sockets.size === 0)
    const { response: answer } = await callUpstream(first, exchange())
    assert.equal(answer.fault?.status, 503)
  })

  for (const version of ['1.1', '2'] as const)
    await t.test(`aborts active calls over HTTP/${version} after a while, whatever the name`, async () => {
      const answering = Promise.withResolvers<undefined>()
      const server = version === '2' ? createHttp2Server() : createServer()
      server.on('request', (_: unknown, res: ServerResponse) => {
        res.write('first')
        answering.resolve(undefined)
      })
      await using up = await listening(server)
      const registry = new Registry({ lookup: (_, told) => told(null, ['127.0.0.1']) })
      const resources = backendsAt({ name: { host: 'up.test', port: up.port }, address: local(up) })
      const { upstreams } = commit(registry, resources, { http: { version } })
      const answers = upstreams.map((upstream) => beginCall(upstream, exchange()))
      await Promise.all(answers.map(({ responded: answered }) => answered))
      await registry.close(10)
      await until(() => up.sockets.size === 0)
      for (const answer of answers) assert.notEqual((await answer.done).fault, undefined)
    })

  await t.test('closes idle connections after their timeout', async () => {
    await using server = await say('hello')
    const upstream = {
      keepalives: { enabled: false, timeMs: 0, intervalMs: 0, retries: 0 },
      connectTimeoutMs: 60_000,
      poolIdleTimeoutMs: 40,
    }
    await withRegistry({ upstream }, async (registry) => {
      const { first } = commit(registry, backendsAt({ api: local(server) }))
      await callUpstream(first, exchange())
      assert.equal(server.opened(), 1)
      await until(() => server.sockets.size === 0)
    })
  })

  await t.test('opens raw connections that survive the end of one direction', async () => {
    await using server = await rawServer((socket) => {
      let text = ''
      socket.end('bye ')
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('end', () => assert.equal(text, 'still here'))
    })
    await withRegistry({}, async (registry) => {
      const socket = await new Promise<Socket>((resolve, reject) => {
        registry.tcp.connect({ target: local(server), tls: undefined }, (found) =>
          found instanceof Fault ? reject(found) : resolve(found),
        )
      })
      await once(socket.resume(), 'end')
      assert.equal(socket.writable, true)
      socket.end('still here')
      await until(() => server.sockets.size === 0)
    })
  })

  await t.test('opens raw connections, by address and by name', async () => {
    await using server = await rawServer((socket) => socket.end('raw'))
    const lookup: Lookup = (_, told) => told(null, ['127.0.0.9', '127.0.0.1'])
    await withRegistry({ lookup }, async (registry) => {
      for (const host of ['127.0.0.1', 'up.test']) {
        const text = await new Promise<string>((resolve, reject) => {
          registry.tcp.connect({ target: { host, port: server.port }, tls: undefined }, (found, endpoint) => {
            if (found instanceof Fault) reject(found)
            else found.on('data', (chunk) => resolve(`${String(chunk)} from ${String(endpoint)}`))
          })
        })
        assert.equal(text, `raw from 127.0.0.1:${server.port}`)
      }
      const fault = await new Promise((resolve) => {
        registry.tcp.connect({ target: { host: '127.0.0.9', port: server.port }, tls: undefined }, resolve)
      })
      assert.equal((fault as { code: string }).code, 'upstream_connect')
    })
  })
})

const workload = (
  uid: string,
  address: string,
  status: 'healthy' | 'unhealthy',
  ports: Record<string, number> = {},
) => ({
  uid,
  name: uid,
  namespace: 'shop',
  addresses: [address],
  services: { 'shop/api.shop': ports },
  status,
})

const turn = () => new Promise((resolve) => setTimeout(resolve, 5))
