import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { publicTls } from '../../../src/model/resources/public-tls.ts'
import { defaultUpstreamSettings } from '../../../src/upstream/registry.ts'
import { dial, type DialAddress } from '../../../src/upstream/connect/dial.ts'
import { connectFault } from '../../../src/upstream/faults.ts'
import { HttpProxy } from '../../../src/upstream/connect/http-proxy.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { until } from '../../support/stream-body.ts'
import { listening, rawServer, type UpstreamServer } from '../../support/upstream-servers.ts'

const place = { host: 'up.example', port: 5432 }

/** Responds to `CONNECT` with bytes, and does nothing else. */
const saying = (...parts: readonly string[]): Promise<UpstreamServer> =>
  rawServer((socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part, 'latin1')
    })
  })

const through = (ports: readonly number[], authorization?: string, connectTimeoutMs = 60_000) =>
  new HttpProxy(
    {
      addresses: ports.map((port) => ({ host: '127.0.0.1', port })),
      host: '127.0.0.1',
      tls: undefined,
      tcp: { connectTimeoutMs },
      authorization,
    },
    defaultUpstreamSettings,
    () => assert.fail('no name has to be looked up'),
  )

const open = (proxy: HttpProxy, to: DialAddress = place): Promise<Socket> =>
  new Promise((resolve, reject) => {
    dial(to, { ...defaultUpstreamSettings, tls: undefined, proxy }, [], (error, socket) => {
      if (socket) resolve(socket)
      else reject(connectFault(error))
    })
  })

const fault = (message: string) => ({
  code: 'upstream_connect',
  status: 503,
  message: `upstream call failed: ${message}`,
})

suite('a connection through an HTTP proxy', () => {
  test("is requested with the target's name and the credential", async () => {
    let asked = ''
    await using server = await rawServer((socket) => {
      socket.on('data', (chunk) => {
        asked += chunk.toString()
        if (asked.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\n\r\n')
      })
    })
    const socket = await open(through([server.port], 'Bearer s3cret'))
    assert.equal(
      asked,
      'CONNECT up.example:5432 HTTP/1.1\r\nHost: up.example:5432\r\nProxy-Authorization: Bearer s3cret\r\n\r\n',
    )
    socket.destroy()
  })

  test('has IPv6 addresses in brackets', async () => {
    let asked = ''
    await using server = await rawServer((socket) => {
      socket.on('data', (chunk) => {
        asked += chunk.toString()
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
      })
    })
    const socket = await open(through([server.port]), { ip: '::1', port: 1 })
    assert.match(asked, /^CONNECT \[::1\]:1 HTTP/)
    socket.destroy()
  })

  test('begins with the first byte after the response, wherever that is split', async () => {
    await using server = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.0 100 Wait\r\n\r\nHTTP/1.0 20')
        setImmediate(() => socket.end('0 OK\r\na: b\r\n\r\n220 mail.example'))
      })
    })
    const socket = await open(through([server.port]))
    assert.equal(await text(socket), '220 mail.example')
    socket.destroy()
  })

  for (const [what, answer, message] of [
    ['refuses', 'HTTP/1.1 403 No\r\ncontent-length: 6\r\n\r\nsecret', 'refused by the proxy with 403'],
    ['redirects', 'HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', 'refused by the proxy with 302'],
    ['uses another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'malformed answer of the proxy'],
    ['has no status', 'HTTP/1.1 OK\r\n\r\n', 'malformed answer of the proxy'],
    ['never ends its head', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}`, 'malformed answer of the proxy'],
    [
      'has too large a head',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(20_000)}\r\n\r\n`,
      'malformed answer of the proxy',
    ],
    [
      'sends only informational responses',
      'HTTP/1.1 100 Wait\r\n\r\n'.repeat(10_000),
      'malformed answer of the proxy',
    ],
  ] as const)
    test(`fails if the proxy ${what}`, async () => {
      await using server = await saying(answer)
      await assert.rejects(open(through([server.port])), fault(message))
      await until(() => server.sockets.size === 0)
    })

  test('fails if the proxy closes half-way', async () => {
    await using server = await rawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n'))
    })
    await assert.rejects(open(through([server.port])), fault('connection closed by the proxy'))
    await until(() => server.sockets.size === 0)
  })

  test('fails if the proxy aborts', async () => {
    await using server = await rawServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    })
    await assert.rejects(open(through([server.port])), fault('connection closed by the proxy'))
  })

  test('fails if the proxy does not respond in time', async () => {
    await using server = await rawServer((socket) => socket.resume())
    await assert.rejects(open(through([server.port], undefined, 100)), fault('connection timed out'))
    await until(() => server.sockets.size === 0)
  })

  test('fails without a reachable proxy', async () => {
    await assert.rejects(open(through([1])), fault('proxy unreachable'))
    await assert.rejects(open(through([])), fault('proxy unreachable'))
  })

  test('uses the next proxy if one is down, but not if one refuses', async () => {
    await using server = await saying('HTTP/1.1 200 OK\r\n\r\n')
    const socket = await open(through([1, server.port]))
    socket.destroy()
    await using other = await saying('HTTP/1.1 403 No\r\n\r\n')
    await assert.rejects(open(through([other.port, server.port])), fault('refused by the proxy with 403'))
    assert.equal(server.opened(), 1)
  })

  test('uses the next address of a name if one is unreachable', async () => {
    await using server = await saying('HTTP/1.1 200 OK\r\n\r\n')
    const asked: string[] = []
    const addresses = [{ host: 'proxy.example', port: server.port }]
    const proxy = new HttpProxy(
      { addresses, host: 'proxy.example', tls: undefined, tcp: undefined, authorization: undefined },
      defaultUpstreamSettings,
      (host, told) => {
        asked.push(host)
        told(null, ['127.0.0.2', '127.0.0.1'])
      },
    )
    for (let i = 0; i < 2; i++) (await open(proxy)).destroy()
    assert.equal(server.opened(), 2)
    assert.deepEqual(asked, ['proxy.example'])
  })

  test('begins at the address of the proxy that worked last', async () => {
    using authority = makeAuthority()
    const { cert, key } = authority.issue('proxy.example')
    // The TLS handshake fails here, and shows the number of attempts.
    await using dead = await rawServer((socket) => socket.destroy())
    await using alive = await listening(
      createTlsServer({ cert, key }, (socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
      }),
    )
    const addresses = [dead, alive].map(({ port }) => ({ host: '127.0.0.1', port }))
    const tls = { ...publicTls, rootFile: authority.certFile, hostname: 'proxy.example' }
    const proxy = new HttpProxy(
      { addresses, host: '', tls, tcp: undefined, authorization: undefined },
      defaultUpstreamSettings,
      () => assert.fail('no name has to be looked up'),
    )
    for (let i = 0; i < 3; i++) (await open(proxy)).destroy()
    assert.equal(alive.opened(), 3)
    assert.equal(dead.opened(), 1)
  })

  test('fails if the name of the proxy has no address', async () => {
    const addresses = [{ host: 'proxy.example', port: 1 }]
    const proxy = new HttpProxy(
      { addresses, host: 'proxy.example', tls: undefined, tcp: undefined, authorization: undefined },
      defaultUpstreamSettings,
      (_, told) => told(new Error('ENOTFOUND'), []),
    )
    await assert.rejects(open(proxy), fault('proxy unreachable'))
  })

  test('fails for a unix socket', async () => {
    await assert.rejects(open(through([1]), { unix: '/run/a' }), fault('not reachable through a proxy'))
  })

  test('releases everything when it is cancelled, in any state', async () => {
    await using server = await rawServer((socket) => socket.resume())
    const options = { ...defaultUpstreamSettings, tls: undefined, proxy: through([server.port]) }
    const told = () => assert.fail('nobody wants to know')
    dial(place, options, [], told)()
    const giveUp = dial(place, options, [], told)
    await until(() => server.sockets.size === 1)
    giveUp()
    await until(() => server.sockets.size === 0)
  })

  test('is required for a name that only a proxy can resolve', async () => {
    await assert.rejects(
      new Promise((_, reject) => {
        dial(place, { ...defaultUpstreamSettings, tls: undefined }, [], reject)
      }),
      /only a proxy/,
    )
  })
})
