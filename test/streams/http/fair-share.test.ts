import assert from 'node:assert/strict'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { respond } from '../../../src/model/exchange/reply.ts'
import { replying, forwardTo, poolTo, startGateway } from '../../support/gateway.ts'
import { RawClient } from '../../support/raw-client.ts'
import { httpServer } from '../../support/upstream-servers.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Counts the requests of the crowd, and replies to all at once. */
class Count {
  crowd = 0
  readonly pipeline = replying((x: Exchange) => {
    if (x.request.path.startsWith('/crowd')) this.crowd++
    return respond(200, String(this.crowd))
  })
}

const CROWD = 20

/** Connections that send far more requests than they read replies. */
const pipelining = (port: number, bytes: string): Promise<RawClient[]> =>
  Promise.all(
    Array.from({ length: CROWD }, async () => {
      const client = await RawClient.to(port)
      client.send(bytes)
      return client
    }),
  )

/** How many requests of the crowd were served between two replies to a sequential client: the maximum of many. */
const servedBetween = async (client: RawClient, requests: number, counted: () => number): Promise<number> => {
  let most = 0
  for (let i = 0; i < requests; i++) {
    const before = counted()
    client.received = ''
    client.send(get('/one'))
    await client.until(/\r\n\r\n\d+$/)
    most = Math.max(most, counted() - before)
  }
  return most
}

for (const [what, bytes] of [
  ['requests without bodies', get('/crowd').repeat(3_000)],
  ['requests with bodies', `POST /crowd HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi`.repeat(3_000)],
  [
    'requests with bodies in chunks',
    `POST /crowd HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`.repeat(2_000),
  ],
] as const)
  test(`a client with one request at a time gets a turn beside connections that pipeline ${what}`, async () => {
    const count = new Count()
    await using gateway = await startGateway([{ listeners: [{ pipeline: count.pipeline }] }])
    using one = await RawClient.to(gateway.port())
    const crowd = await pipelining(gateway.port(), bytes)
    const most = await servedBetween(one, 40, () => count.crowd)
    for (const client of crowd) client.socket.destroy()
    // A request takes a few turns there and back, and each connection gets one request served in each of them.
    // On a busy machine a request is on its way for longer; without turns, tens of thousands would come first.
    assert.ok(most <= CROWD * 100, `${most} requests of others came first`)
  })

test('pipelined requests all get their replies, in order, from an upstream', async () => {
  await using upstream = await httpServer((req, res) => res.end(req.url))
  const pool = poolTo(`127.0.0.1:${upstream.port}`)
  await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
  using client = await RawClient.to(gateway.port())
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}`)
  // Split at odd positions: the second request arrives during the first one.
  const bytes = paths.map(get).join('')
  client.send(bytes.slice(0, 50))
  await client.until('HTTP/1.1 200')
  for (let at = 50; at < bytes.length; at += 1_777) {
    client.send(bytes.slice(at, at + 1_777))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await client.until(/\/299$/)
  assert.deepEqual(
    [...client.received.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path),
    paths,
  )
  await pool.destroy()
})

test('a client that half-closes after many requests gets all replies', async () => {
  const count = new Count()
  await using gateway = await startGateway([{ listeners: [{ pipeline: count.pipeline }] }])
  using client = await RawClient.to(gateway.port())
  client.socket.end(get('/crowd').repeat(500))
  await client.end()
  assert.equal(count.crowd, 500)
  assert.equal(client.received.match(/HTTP\/1\.1 200/g)?.length, 500)
})

test('a large body behind pipelined requests arrives complete', async () => {
  await using gateway = await startGateway([
    {
      listeners: [
        {
          pipeline: replying(async (x) => {
            const body = await x.request.body.read(10_000_000)
            return respond(200, `${x.request.path} ${body.length} ${body.toString('latin1', 0, 4)}`)
          }),
        },
      ],
    },
  ])
  using client = await RawClient.to(gateway.port())
  const body = 'ab\r\n\r\n'.repeat(300_000)
  client.send(
    get('/1') +
      get('/2') +
      `POST /3 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
      get('/4'),
  )
  await client.until(/\/4 0 $/)
  assert.match(client.received, /\/3 1800000 ab\r\n/)
})

test('a client with one request at a time gets a turn beside a body in tiny chunks', async () => {
  let chunks = 0
  await using gateway = await startGateway([
    {
      listeners: [
        {
          pipeline: replying(async (x) => {
            if (x.request.path === '/one') return respond(200, '1')
            await new Promise<void>((resolve) =>
              x.request.body.pipe({
                write: () => {
                  chunks++
                  return true
                },
                end: () => resolve(),
                fail: () => resolve(),
                onDrain: () => undefined,
              }),
            )
            return respond(200, 'all')
          }),
        },
      ],
    },
  ])
  using one = await RawClient.to(gateway.port())
  const chunked = `POST /crowd HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100_000)}`
  const crowd = await pipelining(gateway.port(), chunked)
  const most = await servedBetween(one, 40, () => chunks)
  for (const client of crowd) client.socket.destroy()
  assert.ok(most <= CROWD * 20 * 200, `${most} chunks of others came first`)
})

test('a client with one request at a time gets a turn beside connections with many streams', async () => {
  const count = new Count()
  await using gateway = await startGateway([{ listeners: [{ pipeline: count.pipeline }] }])
  using one = await RawClient.to(gateway.port())
  const sessions: ClientHttp2Session[] = []
  for (let i = 0; i < CROWD; i++) {
    const session = connectHttp2(`http://127.0.0.1:${gateway.port()}`)
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    sessions.push(session)
  }
  for (const session of sessions)
    for (let i = 0; i < 200; i++) {
      const ask = () => {
        if (session.destroyed) return
        const stream = session.request({ ':path': '/crowd' })
        stream
          .on('error', () => undefined)
          .on('close', ask)
          .resume()
      }
      ask()
    }
  const most = await servedBetween(one, 20, () => count.crowd)
  for (const session of sessions) session.destroy()
  assert.ok(most <= CROWD * 100, `${most} requests of others came first`)
})

test('a connection that pipelines is read no further than its requests are served', async () => {
  const count = new Count()
  await using gateway = await startGateway([{ listeners: [{ pipeline: count.pipeline }] }])
  using client = await RawClient.to(gateway.port())
  const { socket } = client
  const bytes = Buffer.from(get('/crowd').repeat(1_000))
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', write)
  write()
  while (count.crowd < 2_000) await once(socket, 'data')
  socket.off('drain', write)
  const sent = socket.bytesWritten - socket.writableLength
  // The rest is in the buffers of the kernel, of a few megabytes. With 64 KiB read for each request it would be 128 MB.
  assert.ok(sent < 24_000_000, `${sent} bytes were read for ${count.crowd} requests of 36`)
})
