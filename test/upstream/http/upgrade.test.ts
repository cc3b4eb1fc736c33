import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { exchange } from '../../../src/testing/exchange.ts'
import { Registry } from '../../../src/upstream/registry.ts'
import type { HttpUpstream } from '../../../src/upstream/upstream.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { beginCall } from '../../support/call-upstream.ts'
import { backendsAt, snapshotOf } from '../../support/resources.ts'
import { until } from '../../support/stream-body.ts'
import { listening, rawResponse, rawServer, type UpstreamServer } from '../../support/upstream-servers.ts'
import { resourceIndex } from '../../../src/model/resources/resource-index.ts'

const withUpstream = async (
  server: UpstreamServer | Promise<UpstreamServer>,
  act: (upstream: HttpUpstream, server: UpstreamServer) => Promise<void>,
): Promise<void> => {
  await using up = await server
  const registry = new Registry()
  const resources = backendsAt({ api: { host: '127.0.0.1', port: up.port } })
  const session = registry.session(resourceIndex(resources), () => assert.fail())
  const upstream = session.upstream({ kind: 'backend', key: 'api' }, {})!
  session.commit(snapshotOf(resources))
  try {
    await act(upstream, up)
  } finally {
    await registry.close()
  }
}

const upgrading = (parts: Parameters<typeof exchange>[0] = {}) =>
  exchange({
    upgrade: 'websocket',
    path: '/chat',
    headers: {
      host: 'gateway.test',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'chat',
    },
    ...parts,
  })

const upgradeServer = (upgrade: (req: IncomingMessage, socket: Duplex) => void): Promise<UpstreamServer> => {
  const server = createServer()
  server.on('upgrade', (req, socket) => {
    // An upgraded connection is half-open unless it is read and its end is acknowledged.
    socket.on('error', () => undefined).on('end', () => socket.end())
    socket.resume()
    upgrade(req, socket)
  })
  return listening(server)
}

test('an upgrade', async (t) => {
  await t.test('becomes a tunnel with the response of the upstream', async () => {
    const server = createServer()
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'chat' })
    sockets.on('connection', (socket) =>
      socket.on('message', (message: Buffer) => socket.send(message.toString())),
    )
    await withUpstream(listening(server), async (upstream) => {
      const answer = await beginCall(upstream, upgrading()).responded
      assert.equal(answer.status, 101)
      const field = (name: string) => answer.headers[answer.headers.indexOf(name) + 1]
      const accept = createHash('sha1').update('dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11')
      assert.equal(field('sec-websocket-accept'), accept.digest('base64'))
      assert.equal(field('sec-websocket-protocol'), 'chat')
      assert.equal(field('upgrade'), 'websocket')
      // A masked text frame that says "hi", and its echo.
      answer.stream!.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
      const [echo] = (await once(answer.stream!, 'data')) as [Buffer]
      assert.deepEqual([...echo], [0x81, 2, 0x68, 0x69])
      answer.stream!.destroy()
      assert.equal((await answer.done).ends, 1)
    })
    sockets.close()
  })

  await t.test('loses no byte that arrived right after the response', () =>
    withUpstream(
      upgradeServer((_, socket) => {
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\nfirst')
      }),
      async (upstream) => {
        const answer = await beginCall(upstream, upgrading()).responded
        const [first] = (await once(answer.stream!, 'data')) as [Buffer]
        assert.equal(String(first), 'first')
        answer.stream!.destroy()
      },
    ),
  )

  await t.test("sends the client's fields, and no more", () => {
    const seen: IncomingMessage[] = []
    return withUpstream(
      upgradeServer((req, socket) => {
        seen.push(req)
        socket.end('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      }),
      async (upstream) => {
        await beginCall(upstream, upgrading()).done
        assert.deepEqual([seen[0]!.method, seen[0]!.url], ['GET', '/chat'])
        assert.deepEqual(seen[0]!.headers, {
          host: 'gateway.test',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-version': '13',
          'sec-websocket-protocol': 'chat',
          connection: 'Upgrade',
          upgrade: 'websocket',
        })
      },
    )
  })

  await t.test('of an HTTP/2 client gets the key and the method that HTTP/1.1 requires', () => {
    const seen: IncomingMessage[] = []
    return withUpstream(
      upgradeServer((req, socket) => {
        seen.push(req)
        socket.end('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      }),
      async (upstream) => {
        await beginCall(upstream, upgrading({ method: 'CONNECT', headers: { host: 'gateway.test' } })).done
        assert.equal(seen[0]!.method, 'GET')
        assert.equal(Buffer.from(seen[0]!.headers['sec-websocket-key'] ?? '', 'base64').length, 16)
      },
    )
  })

  await t.test('that is declined gets a response like any other', () =>
    withUpstream(rawResponse('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno'), async (upstream) => {
      const answer = await beginCall(upstream, upgrading()).responded
      assert.deepEqual([answer.status, answer.stream], [403, undefined])
      assert.equal(String(await answer.body?.read(100)), 'no')
      assert.equal((await answer.done).ends, 1)
    }),
  )

  await t.test('to another protocol than the requested one is 502', () =>
    withUpstream(
      upgradeServer((_, socket) => {
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
      }),
      async (upstream, { sockets }) => {
        const { fault } = await beginCall(upstream, upgrading()).responded
        assert.deepEqual(
          [fault?.status, fault?.code, fault?.message],
          [502, 'upgrade_refused', 'request upgrade failed, backend tried h2c'],
        )
        await until(() => sockets.size === 0)
      },
    ),
  )

  await t.test('is released when it is cancelled, before and after the response', () =>
    withUpstream(
      upgradeServer((req, socket) => {
        if (req.url === '/silent') return
        socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      }),
      async (upstream, { sockets }) => {
        for (const path of ['/silent', '/open']) {
          const answer = new UpstreamRecorder()
          const running = upstream.call(upgrading({ path }), answer)
          if (path === '/open') assert.equal((await answer.responded).status, 101)
          await until(() => sockets.size === 1)
          running.abort()
          await until(() => sockets.size === 0)
          assert.deepEqual([answer.fault, answer.ends], [undefined, 0])
        }
      },
    ),
  )

  await t.test('to an unreachable address is 503', () =>
    withUpstream(
      rawServer(() => undefined),
      async (upstream, server) => {
        await server[Symbol.asyncDispose]()
        const { fault } = await beginCall(upstream, upgrading()).responded
        assert.deepEqual([fault?.status, fault?.code], [503, 'upstream_connect'])
      },
    ),
  )
})

test('a CONNECT', async (t) => {
  await t.test('becomes a tunnel to the upstream from the first byte on', () =>
    withUpstream(
      rawServer((socket) => {
        socket.write('hello ')
        socket.pipe(socket)
      }),
      async (upstream, { sockets }) => {
        const answer = await beginCall(upstream, exchange({ method: 'CONNECT', authority: 'up.test:443' }))
          .responded
        assert.deepEqual([answer.status, answer.headers], [200, []])
        let text = ''
        answer.stream!.on('data', (chunk: Buffer) => (text += String(chunk)))
        answer.stream!.write('echo')
        await until(() => text === 'hello echo')
        answer.stream!.destroy()
        assert.equal((await answer.done).ends, 1)
        await until(() => sockets.size === 0)
      },
    ),
  )
})
