import assert from 'node:assert/strict'
import { createServer as createHttpsServer } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { until } from '../support/stream-body.ts'
import { httpServer, listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

suite('a proxy in front of backends', () => {
  const authority = makeAuthority()
  const stack = new AsyncDisposableStack()
  let plain: UpstreamServer
  let tls: UpstreamServer
  let one: HttpProxy
  let other: HttpProxy

  before(async () => {
    plain = stack.use(await httpServer((_, res) => res.end('plain')))
    tls = stack.use(
      await listening(createHttpsServer(authority.issue('localhost'), (_, res) => res.end('tls'))),
    )
    one = stack.use(await startProxy())
    other = stack.use(await startProxy())
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })

  const configuration = (tunnel: string) => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - matches: [{ path: { pathPrefix: /plain } }]
    backends: [{ host: "127.0.0.1:${plain.port}", policies: { ${tunnel} } }]
  - matches: [{ path: { pathPrefix: /tls } }]
    backends:
      - host: "localhost:${tls.port}"
        policies: { backendTLS: { root: ${authority.certFile} }, ${tunnel} }
  - matches: [{ path: { pathPrefix: /services } }]
    backends: [{ service: { name: default/shop.example, port: 80 }, policies: { ${tunnel} } }]
llm:
  gateways: default
  models:
    - { name: m, provider: openai, params: { baseUrl: "https://localhost:${tls.port}/v1" }, ${tunnel} }
services:
  - { name: shop, namespace: default, hostname: shop.example, vips: [], ports: { 80: ${plain.port} } }
workloads:
  - { uid: a, name: a, namespace: default, workloadIps: [127.0.0.1], services: { default/shop.example: { 80: ${plain.port} } } }
`
  const by = (port: number, more = '') => `backendTunnel: { proxy: { host: "127.0.0.1:${port}" }${more} }`
  const get = (daemon: Daemon, path: string) => sendRequest(daemon.url('default'), path)

  test('is added, changed and removed by reloads, and never shares connections', async () => {
    await using daemon = await startDaemon(configuration(''))
    await daemon.printed(/configuration in force/)
    const change = async (tunnel: string) => {
      const before = daemon.output().split('configuration in force').length
      daemon.rewrite(configuration(tunnel))
      await until(() => daemon.output().split('configuration in force').length > before, 'the change')
    }
    const lines = async (): Promise<readonly [number, number]> => {
      const [first, second] = [one.lines.length, other.lines.length]
      for (const path of ['/plain', '/tls', '/services'])
        assert.equal((await get(daemon, path)).text, path === '/tls' ? 'tls' : 'plain', daemon.output())
      return [one.lines.length - first, other.lines.length - second]
    }
    assert.deepEqual(await lines(), [0, 0])
    await change(by(one.port))
    assert.deepEqual(await lines(), [3, 0])
    assert.deepEqual(one.lines, [
      `GET http://127.0.0.1:${plain.port}/plain`,
      `CONNECT localhost:${tls.port}`,
      `CONNECT 127.0.0.1:${plain.port}`,
    ])
    // Connections through a tunnel are reused.
    assert.deepEqual(await lines(), [1, 0])
    await change(by(other.port))
    assert.deepEqual(await lines(), [0, 3])
    await change(by(other.port, ', policies: { backendAuth: { key: abc } }'))
    assert.deepEqual(await lines(), [0, 3])
    assert.equal(other.said.at(-1)?.credential, 'Bearer abc')
    await change('')
    assert.deepEqual(await lines(), [0, 0])
    await until(() => one.sockets.size + other.sockets.size === 0, 'the end of all tunnels')
  })

  test('that refuses is reported in the format of the client', async () => {
    await using proxy = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 9\r\n\r\ninside.me'))
    })
    await using daemon = await startDaemon(configuration(by(proxy.port)))
    const refused = await get(daemon, '/tls')
    assert.deepEqual(
      [refused.status, refused.text],
      [503, 'upstream call failed: refused by the proxy with 403'],
    )
    const chat = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    })
    assert.equal(chat.status, 503)
    const { error } = JSON.parse(chat.text) as { error: { message: string } }
    assert.match(error.message, /refused by the proxy with 403/)
    assert.ok(!daemon.output().includes('inside.me') && !chat.text.includes('inside.me'))
    await until(() => proxy.sockets.size === 0)
  })

  test('fails requests with 503 if it does not respond or is down', async () => {
    await using proxy = await rawServer((socket) => socket.resume())
    await using daemon = await startDaemon(
      configuration(by(proxy.port, ', policies: { tcp: { connectTimeout: 2s } }')),
    )
    const late = await get(daemon, '/tls')
    assert.deepEqual([late.status, late.text], [503, 'upstream call failed: connection timed out'])
    await until(() => proxy.sockets.size === 0)
    await proxy[Symbol.asyncDispose]()
    for (const path of ['/tls', '/plain', '/services']) {
      const down = await get(daemon, path)
      assert.deepEqual([down.status, down.text], [503, 'upstream call failed: proxy unreachable'])
    }
  })
})
