import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { after, test } from 'node:test'
import type { BackendPolicies } from '../../src/model/resources/policies.ts'
import { exchange, type ExchangeOverrides } from '../../src/testing/exchange.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { beginCall, callUpstream } from '../support/call-upstream.ts'
import { makeAuthority } from '../support/certificates.ts'
import { backendsAt, snapshotOf } from '../support/resources.ts'
import { streamBody, until } from '../support/stream-body.ts'
import { httpServer, listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

const authority = makeAuthority()
after(() => authority[Symbol.dispose]())
const tls = {
  rootFile: authority.certFile,
  hostname: 'up.example',
  insecure: false,
  insecureHost: false,
  subjectAltNames: [],
}

/** The transports of the connections that a registry reported during a function. */
const toldOf = async (act: (registry: Registry) => Promise<void>): Promise<string[]> => {
  const transports: string[] = []
  const registry = new Registry({
    connected: (transport, seconds, _endpoint, error) => {
      if (error) return
      assert.ok(seconds > 0 && seconds < 60, `${seconds} s`)
      transports.push(transport)
    },
  })
  try {
    await act(registry)
  } finally {
    await registry.close()
  }
  return transports
}

const upstreamIn = (registry: Registry, { port }: UpstreamServer, policies: BackendPolicies = {}) => {
  const resources = backendsAt({ api: { host: '127.0.0.1', port } })
  const session = registry.session(resourceIndex(resources), () => assert.fail())
  const upstream = session.upstream({ kind: 'backend', key: 'api' }, policies)!
  session.commit(snapshotOf(resources))
  return upstream
}

test('a connection to an upstream is reported', async (t) => {
  await t.test('once, however many requests it carries', async () => {
    await using server = await httpServer((_, res) => res.end('hello'))
    const told = await toldOf(async (registry) => {
      const upstream = upstreamIn(registry, server)
      for (let i = 0; i < 10; i++) assert.equal((await callUpstream(upstream, exchange())).text, 'hello')
    })
    assert.deepEqual(
      told,
      Array.from({ length: server.opened() }, () => 'plaintext'),
    )
    assert.ok(told.length < 10)
  })

  await t.test('when a request with trailers needs its own', async () => {
    await using server = await httpServer((req, res) => {
      req.resume()
      res.end('hello')
    })
    const told = await toldOf(async (registry) => {
      const x = exchange({ method: 'POST', body: streamBody(['a', 'b']), hasTrailers: true })
      assert.equal((await callUpstream(upstreamIn(registry, server), x)).text, 'hello')
    })
    assert.deepEqual(told, ['plaintext'])
  })

  await t.test('with HTTP/2', async () => {
    await using server = await listening(createHttp2Server((_, res) => res.end('hello')))
    const told = await toldOf(async (registry) => {
      const upstream = upstreamIn(registry, server, { http: { version: '2' } })
      assert.equal((await callUpstream(upstream, exchange())).text, 'hello')
    })
    assert.deepEqual(told, ['plaintext'])
  })

  await t.test('with TLS, by its name', async () => {
    const { cert, key } = authority.issue('up.example')
    await using server = await listening(createHttpsServer({ cert, key }, (_, res) => res.end('hello')))
    const told = await toldOf(async (registry) => {
      const upstream = upstreamIn(registry, server, { backendTLS: tls })
      assert.equal((await callUpstream(upstream, exchange())).text, 'hello')
    })
    assert.deepEqual(told, ['tls'])
  })

  await t.test('when it becomes a tunnel, or a raw connection', async () => {
    const server = createServer()
    server.on('upgrade', (_, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
    })
    await using upgrading = await listening(server)
    await using raw = await rawServer((socket) => socket.end('bye'))
    const tunnel = async (registry: Registry, to: UpstreamServer, request: ExchangeOverrides) => {
      const answer = beginCall(upstreamIn(registry, to), exchange(request))
      await until(() => answer.stream !== undefined)
      answer.stream?.destroy()
      await answer.done
    }
    const told = await toldOf(async (registry) => {
      await tunnel(registry, upgrading, { upgrade: 'websocket' })
      await tunnel(registry, raw, { method: 'CONNECT' })
      const [socket] = await new Promise<unknown[]>((resolve) => {
        const target = { host: '127.0.0.1', port: raw.port }
        registry.tcp.connect({ target, tls: undefined }, (...found) => resolve(found))
      })
      await once((socket as NodeJS.ReadableStream & { end(): void }).resume(), 'end')
      ;(socket as { end(): void }).end()
    })
    assert.deepEqual(told, ['plaintext', 'plaintext', 'plaintext'])
  })

  await t.test('unless it failed', async () => {
    const server = await httpServer(() => undefined)
    await server[Symbol.asyncDispose]()
    await using silent = await rawServer((socket) => socket.once('data', () => socket.destroy()))
    const told = await toldOf(async (registry) => {
      for (const [to, policies] of [
        [server, {}],
        [silent, { backendTLS: tls }],
      ] as const) {
        const answer = beginCall(upstreamIn(registry, to, policies), exchange())
        await answer.responded.catch(() => undefined)
        assert.equal(answer.fault?.code, 'upstream_connect')
      }
    })
    assert.deepEqual(told, [])
  })
})
