import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { createServer, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { deny, Reply, respond } from '../../../src/model/exchange/reply.ts'
import type { FrontendHttp } from '../../../src/model/resources/frontend-policies.ts'
import { tunnelPair } from '../../../src/streams/http/connection/connect-tunnel.ts'
import { replying, startGateway } from '../../support/gateway.ts'
import { frameType, headers, flag, frame, RawHttp2Client } from '../../support/h2-client.ts'
import { RawClient, statusesIn } from '../../support/raw-client.ts'
import { startUpstream } from '../../support/upstream.ts'

const upgrade = (protocol = 'websocket', ...lines: readonly string[]): string =>
  ['GET /chat HTTP/1.1', 'Host: a', 'Connection: upgrade', `Upgrade: ${protocol}`, ...lines, '', ''].join(
    '\r\n',
  )

const tinyChunks = (count: number): string =>
  `POST /plain HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`

/** Accepts every upgrade, and provides the other end of the tunnel. */
const accepting = (raw: string[] = ['upgrade', 'websocket']) => {
  const [near, far] = tunnelPair()
  const pipeline = replying((x) => {
    if (x.request.upgrade === undefined) return x.request.body.read(1_000).then(() => respond(200, 'plain'))
    const reply = new Reply(101, new Headers(raw), emptyBody, 'Upstream')
    reply.tunnel = near
    return reply
  })
  return { pipeline, far }
}

/** Connects to an upstream with the upgrade, like a backend. */
const switchingTo = (host: string) =>
  replying(
    (x) =>
      new Promise<Reply>((resolve, reject) => {
        const [address, port] = host.split(':')
        import('node:http').then(({ request }) => {
          const req = request({
            host: address,
            port,
            path: x.request.target,
            headers: [...x.request.headers.raw, 'connection', 'upgrade', 'upgrade', x.request.upgrade ?? ''],
          })
          req.on('upgrade', (res, socket, head) => {
            if (head.length) socket.unshift(head)
            const reply = new Reply(
              101,
              new Headers(res.rawHeaders.map((part, i) => (i % 2 ? part : part.toLowerCase()))),
              emptyBody,
              'Upstream',
            )
            reply.tunnel = socket
            resolve(reply)
          })
          req.on('response', (res) => {
            res.resume()
            resolve(deny(res.statusCode ?? 502, 'refused'))
          })
          req.on('error', reject)
          req.end()
        }, reject)
      }),
  )

/** What a stream has sent, once that ends with a text. */
const received = async (stream: Duplex, text: string): Promise<string> => {
  let seen = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    seen += chunk.toString()
    if (seen.endsWith(text)) return seen
  }
  throw new Error(`ended before ${text} came: ${seen}`)
}

test('an upgrade', async (t) => {
  await t.test('that is accepted becomes a tunnel in both directions', async () => {
    const { pipeline, far } = accepting()
    await using gateway = await startGateway([{ listeners: [{ pipeline }] }])
    using client = await RawClient.to(gateway.port())
    client.send(upgrade() + 'early')
    await client.until('\r\n\r\n')
    assert.match(
      client.received,
      /^HTTP\/1\.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n$/,
    )
    await received(far, 'early')
    far.write('from upstream')
    await client.until('from upstream')
    client.send('from client')
    await received(far, 'from client')
    client.socket.end()
    far.end()
    const x = await gateway.nextEnded()
    assert.deepEqual(
      [x.reply?.status, x.downstream.sentBytes, x.downstream.truncatedBy],
      [101, 13, undefined],
    )
  })

  const plain = 'GET /plain HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const [when, before, early] of [
    ['behind pipelined requests', plain.repeat(2), ''],
    ['with what looks like further requests behind it', '', plain.repeat(2)],
    ['behind a body in tiny chunks', tinyChunks(500), ''],
  ] as const)
    await t.test(`${when} becomes a tunnel in both directions`, { timeout: 60_000 }, async () => {
      const { pipeline, far } = accepting()
      await using gateway = await startGateway([{ listeners: [{ pipeline }] }])
      using client = await RawClient.to(gateway.port())
      client.send(before)
      if (before) await client.until(before.startsWith('GET') ? /plain[^]*plain$/ : /plain$/)
      client.send(upgrade() + early)
      await client.until('101')
      const large = `${'x'.repeat(100_000)} the end`
      client.send(large)
      assert.equal(await received(far, 'the end'), early + large)
      far.write('from upstream')
      await client.until('from upstream')
    })

  await t.test('ends with the upstream, and closes it as well', async () => {
    for (const leave of ['upstream', 'client'] as const) {
      const { pipeline, far } = accepting()
      await using gateway = await startGateway([{ listeners: [{ pipeline }] }])
      using client = await RawClient.to(gateway.port())
      client.send(upgrade())
      await client.until('101')
      const farClosed = once(far.resume(), 'close')
      if (leave === 'upstream') {
        far.destroy()
        await client.end()
      } else client.socket.destroy()
      far.end()
      await farClosed
      await gateway.nextEnded()
    }
  })

  await t.test('that is refused gets a reply like any request', async () => {
    await using gateway = await startGateway([
      { listeners: [{ pipeline: replying(() => deny(401, 'no_token')) }] },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(upgrade())
    const answer = await client.end()
    assert.deepEqual(statusesIn(answer), [401])
    assert.match(answer, /connection: close[^]*no_token$/i)
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, undefined)
  })

  await t.test('has the first allowed protocol, or is ignored without one', async () => {
    const asked = async (protocol: string, upgrades: FrontendHttp['upgrades']): Promise<string> => {
      await using gateway = await startGateway([
        {
          frontend: { http: { upgrades } },
          listeners: [{ pipeline: replying((x) => respond(200, String(x.request.upgrade))) }],
        },
      ])
      using client = await RawClient.to(gateway.port())
      client.send(upgrade(protocol))
      return /\r\n\r\n(.*)$/.exec(await client.until(/\r\n\r\n.+$/))![1]!
    }
    assert.equal(await asked('WebSocket', ['websocket']), 'websocket')
    assert.equal(await asked('h2c, websocket', ['websocket']), 'websocket')
    assert.equal(await asked('tls/1.0', ['websocket']), 'undefined')
    assert.equal(await asked('tls/1.0', ['tls/1.0']), 'tls/1.0')
    assert.equal(await asked('h2c', ['h2c']), 'undefined')
  })

  await t.test('is cancelled when its client disconnects before the reply', async () => {
    const asked = Promise.withResolvers<undefined>()
    const pipeline = replying(() => {
      asked.resolve(undefined)
      return new Promise<Reply>(() => undefined)
    })
    await using gateway = await startGateway([{ listeners: [{ pipeline }] }])
    using client = await RawClient.to(gateway.port())
    client.send(upgrade())
    await asked.promise
    client.socket.resetAndDestroy()
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, 'client left')
  })

  await t.test('works for a WebSocket library, over HTTP/1.1', async () => {
    await using upstream = await startUpstream((_, res) => res.end())
    const sockets = new WebSocketServer({ server: upstream.server })
    sockets.on('connection', (socket) => {
      socket.on('message', (message: Buffer) => socket.send(`echo ${message.toString()}`))
    })
    await using gateway = await startGateway([{ listeners: [{ pipeline: switchingTo(upstream.host) }] }])
    const client = new WebSocket(`ws://127.0.0.1:${gateway.port()}/chat`)
    await once(client, 'open')
    client.send('x'.repeat(200_000))
    const [message] = (await once(client, 'message')) as [Buffer]
    assert.equal(message.length, 200_005)
    client.close(1000)
    const [code] = (await once(client, 'close')) as [number]
    assert.equal(code, 1000)
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, undefined)
    sockets.close()
  })

  await t.test('works over HTTP/2 as an extended CONNECT', async () => {
    await using upstream = await startUpstream((_, res) => res.end())
    const sockets = new WebSocketServer({ server: upstream.server })
    sockets.on('connection', (socket) => {
      socket.on('message', (message: Buffer) => socket.send(`echo ${message.toString()}`))
    })
    await using gateway = await startGateway([{ listeners: [{ pipeline: switchingTo(upstream.host) }] }])
    const session = connectHttp2(`http://127.0.0.1:${gateway.port()}`)
    await once(session, 'remoteSettings')
    const stream = session.request({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': 'http',
      ':path': '/chat',
      ':authority': 'a',
      'sec-websocket-version': '13',
    })
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    assert.deepEqual(
      [head[':status'], head['sec-websocket-accept'], head.upgrade],
      [200, undefined, undefined],
    )
    // A masked text frame of two bytes, and its echo.
    stream.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
    assert.match(await received(stream, 'echo hi'), /^..echo hi$/s)
    stream.close()
    session.close()
    await gateway.nextEnded()
    sockets.close()
  })
})

test('CONNECT', async (t) => {
  const connectTo = (authority: string): string =>
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nX-From: me\r\n\r\n`
  const inner = {
    key: 'inner',
    address: '0.0.0.0',
    listeners: [
      {
        pipeline: replying((x) =>
          respond(200, `inner ${x.request.path} ${String(x.request.connection.connectHeaders)}`),
        ),
      },
    ],
  }

  await t.test('is not allowed unless configured', async () => {
    await using gateway = await startGateway([{ key: 'outer' }])
    using client = await RawClient.to(gateway.port())
    client.send(connectTo('a:80'))
    const answer = await client.end()
    assert.deepEqual(statusesIn(answer), [405])
    assert.match(answer, /method not allowed$/)
    assert.equal((await gateway.nextEnded()).request.method, 'CONNECT')
    using h2 = new RawHttp2Client(gateway.port())
    h2.send(
      headers(1, [
        [':method', 'CONNECT'],
        [':authority', 'a:80'],
      ]),
    )
    assert.equal(await h2.outcome(1), 'answered')
  })

  await t.test('enters the bind of its port like an accepted connection', async () => {
    await using gateway = await startGateway([
      { key: 'outer', frontend: { connect: { mode: 'tunnel' } } },
      inner,
    ])
    using client = await RawClient.to(gateway.port('outer'))
    client.send(connectTo(`any.example:${gateway.port('inner')}`))
    await client.until('HTTP/1.1 200 Connection Established\r\n\r\n')
    client.send('GET /1 HTTP/1.1\r\nHost: b\r\n\r\n')
    await client.until(/inner \/1 host,any\.example:\d+,x-from,me/)
    client.send('GET /2 HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n')
    assert.match(await client.end(), /inner \/2/)
    const paths = [await gateway.nextEnded(), await gateway.nextEnded(), await gateway.nextEnded()]
    assert.deepEqual(paths.map((x) => x.request.path).sort(), ['', '/1', '/2'])
  })

  await t.test('enters it over HTTP/2 too', async () => {
    await using gateway = await startGateway([
      { key: 'outer', frontend: { connect: { mode: 'tunnel' } } },
      inner,
    ])
    using client = new RawHttp2Client(gateway.port('outer'))
    client.send(
      headers(
        1,
        [
          [':method', 'CONNECT'],
          [':authority', `a:${gateway.port('inner')}`],
        ],
        flag.endHeaders,
      ),
      frame(frameType.data, 0, 1, 'GET /1 HTTP/1.1\r\nHost: b\r\n\r\n'),
    )
    assert.ok(
      await client.until(({ type, payload }) => type === frameType.data && payload.includes('inner /1')),
    )
  })

  await t.test('enters the wildcard bind if no other bind matches, or finds none', async () => {
    const outer = { key: 'outer', frontend: { connect: { mode: 'tunnel' } } } as const
    const wildcard = (({ address: _, ...rest }) => ({ ...rest, mode: 'internal' as const, port: undefined }))(
      inner,
    )
    await using gateway = await startGateway([outer, wildcard as unknown as typeof inner])
    using client = await RawClient.to(gateway.port('outer'))
    client.send(connectTo('a:1'))
    await client.until('200')
    client.send('GET /1 HTTP/1.1\r\nHost: b\r\n\r\n')
    await client.until('inner /1')
    await using alone = await startGateway([outer])
    using lost = await RawClient.to(alone.port('outer'))
    lost.send(connectTo('a:1'))
    assert.match(await lost.end(), /404[^]*bind not found$/)
  })

  await t.test('is routed if configured, and tunnels to the backend', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    await once(echo, 'listening')
    const { connect } = await import('node:net')
    await using gateway = await startGateway([
      {
        frontend: { connect: { mode: 'route' } },
        listeners: [
          {
            pipeline: replying((x) => {
              if (x.request.host !== 'a') return deny(404, 'route_not_found')
              const reply = new Reply(200, new Headers(), emptyBody, 'Upstream')
              reply.tunnel = connect((echo.address() as AddressInfo).port, '127.0.0.1')
              return reply
            }),
          },
        ],
      },
    ])
    using client = await RawClient.to(gateway.port())
    client.send(connectTo('a:80'))
    await client.until('200')
    client.send('echoed')
    await client.until('echoed')
    client.socket.end()
    await client.end()
    using lost = await RawClient.to(gateway.port())
    lost.send(connectTo('b:80'))
    assert.deepEqual(statusesIn(await lost.end()), [404])
    echo.close()
  })

  await t.test('is the only accepted method of a bind for CONNECT', async () => {
    await using gateway = await startGateway([{ key: 'outer', tunnelProtocol: 'connect' }, inner])
    using client = await RawClient.to(gateway.port('outer'))
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await client.until('method not allowed')
    using other = await RawClient.to(gateway.port('outer'))
    other.send(connectTo(`a:${gateway.port('inner')}`))
    await other.until('200 Connection Established')
  })
})
