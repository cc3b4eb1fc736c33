import assert from 'node:assert/strict'
import { connect, type ClientHttp2Session } from 'node:http2'
import type { Readable } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import type { Body, BodySink } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply, respond } from '../../../src/model/exchange/reply.ts'
import { ManualBody } from '../../../src/testing/manual-body.ts'
import { type Authority, type Certificate, makeAuthority } from '../../support/certificates.ts'
import { replying, startGateway, type TestGateway } from '../../support/gateway.ts'
import {
  flag,
  frame,
  frameType,
  get,
  goAway,
  headers,
  openRawHttp2,
  post,
  RawHttp2Client,
  resetStream,
  streamWindow,
  widenConnection,
} from '../../support/h2-client.ts'
import { until } from '../../support/stream-body.ts'

const noError = 0
const cancel = 8
const window = { none: 0, default: 65_535, large: 0x7fffffff }

/** How a client stops waiting for the reply on its stream 1. */
const leaves: Readonly<Record<string, (client: RawHttp2Client) => void>> = {
  'resets the stream without an error': (client) => client.send(resetStream(1, noError)),
  'cancels the stream': (client) => client.send(resetStream(1, cancel)),
  'resets the stream, sends GOAWAY and FIN': (client) => {
    client.send(resetStream(1, noError), goAway)
    client.socket.end()
  },
  'sends GOAWAY and FIN': (client) => {
    client.send(goAway)
    client.socket.end()
  },
  'sends GOAWAY, and FIN later': (client) => {
    client.send(goAway)
    // The gateway's GOAWAY is the sign that this one has come.
    void client.until(({ type }) => type === frameType.goAway).then(() => client.socket.end())
  },
  'sends FIN': (client) => client.socket.end(),
  'sends a part of a frame and FIN': (client) => {
    client.send(Buffer.from([0, 0, 9, 0, 0]))
    client.socket.end()
  },
  'resets its connection': (client) => client.socket.resetAndDestroy(),
  'closes its connection': (client) => client.socket.destroy(),
}

const head: [string, string][] = [[':method', 'HEAD'], ...get('/', 'localhost').slice(1)]
const get1 = headers(1, get('/', 'localhost'))
const post1 = (parts: number, flags: number): Buffer =>
  Buffer.concat([
    headers(1, post('/', 'localhost'), flag.endHeaders),
    ...Array.from({ length: parts }, (_, i) =>
      frame(frameType.data, i === parts - 1 ? flags : 0, 1, Buffer.alloc(16_000)),
    ),
  ])
const unfinished = (lengthBytes: number): Reply['body'] => new ManualBody().send(Buffer.alloc(lengthBytes))
const whole = (lengthBytes?: number): Reply['body'] =>
  new ManualBody(lengthBytes).send(Buffer.alloc(lengthBytes ?? 16)).end()

/** An upstream that does not read. */
const stalled: BodySink = {
  write: () => false,
  end: () => undefined,
  fail: () => undefined,
  onDrain: () => undefined,
}

/** Requests whose exchange is in progress when their client leaves. */
const requests: readonly {
  readonly name: string
  readonly bytes: Buffer
  /** The window for the reply; none keeps it in the gateway. */
  readonly windowBytes: number
  readonly reply?: () => Reply['body']
  /** What the upstream does with the request's body. */
  readonly consume?: (body: Body) => void
}[] = [
  {
    name: 'a GET with a reply of known length',
    bytes: get1,
    windowBytes: window.none,
    reply: () => whole(16),
  },
  {
    name: 'a GET with a reply of unknown length',
    bytes: get1,
    windowBytes: window.none,
    reply: () => whole(),
  },
  {
    name: 'a GET with an unfinished reply',
    bytes: get1,
    windowBytes: window.none,
    reply: () => unfinished(40_000),
  },
  { name: 'a GET without a reply', bytes: get1, windowBytes: window.none },
  {
    name: 'a HEAD without a reply',
    bytes: headers(1, head),
    windowBytes: window.default,
  },
  {
    name: 'an upload that nobody reads',
    bytes: post1(1, 0),
    windowBytes: window.none,
    reply: () => whole(16),
  },
  {
    name: 'an upload whose reader is paused',
    bytes: post1(3, 0),
    windowBytes: window.none,
    reply: () => whole(16),
    consume: (body) => body.pipe(stalled),
  },
  {
    name: 'a complete upload whose reader is paused, and a complete reply',
    bytes: post1(3, flag.endStream),
    windowBytes: window.default,
    reply: () => whole(16),
    consume: (body) => body.pipe(stalled),
  },
]

suite('the exchange of an HTTP/2 client ends', { concurrency: true }, () => {
  let authority: Authority
  let certificate: Certificate
  before(() => {
    authority = makeAuthority()
    certificate = authority.issue('localhost')
  })
  after(() => authority[Symbol.dispose]())

  const start = (decide: Parameters<typeof replying>[0]): Promise<TestGateway> =>
    startGateway([
      { key: 'plain', listeners: [{ pipeline: replying(decide) }] },
      {
        key: 'tls',
        protocol: 'tls',
        listeners: [
          {
            protocol: 'HTTPS',
            hostname: 'localhost',
            tls: { certFile: certificate.certFile, keyFile: certificate.keyFile },
            pipeline: replying(decide),
          },
        ],
      },
    ])
  const open = (gateway: TestGateway, key: string): Promise<RawHttp2Client> =>
    openRawHttp2(gateway.port(key), key === 'tls' ? authority.cert : undefined)
  const connections = (gateway: TestGateway): number =>
    gateway.ports.active.flatMap((port) => [...port.connections]).length

  for (const { name, bytes, windowBytes, reply, consume } of requests)
    test(`however the client leaves ${name}`, { timeout: 30_000 }, async () => {
      await using gateway = await start((x: Exchange) => {
        consume?.(x.request.body)
        if (!reply) return new Promise<never>(() => undefined)
        return new Reply(200, new Headers([]), reply(), 'Upstream')
      })
      const clients = await Promise.all(
        ['plain', 'tls'].flatMap((key) =>
          Object.values(leaves).map(async (leave) => ({ leave, client: await open(gateway, key) })),
        ),
      )
      for (const { client } of clients) client.send(streamWindow(windowBytes), bytes)
      await until(() => gateway.began === clients.length, 'every exchange')
      for (const { client } of clients)
        if (reply) await client.until(({ type, stream }) => type === frameType.headers && stream === 1)
      for (const { leave, client } of clients) leave(client)
      const from = performance.now()
      await until(() => gateway.ports.exchangesInFlight === 0, 'the end of every exchange')
      assert.ok(
        performance.now() - from < 20_000,
        'one second is the promise; a busy machine may take longer',
      )
      // Those that reset only a stream are still connected.
      await until(() => connections(gateway) === 4, 'the end of every connection that was left')
      assert.equal(gateway.ended.length, clients.length)
      if (windowBytes === window.none)
        for (const x of gateway.ended) assert.equal(x.downstream.truncatedBy, 'client left')
      for (const { client } of clients) client.socket.destroy()
      await until(() => connections(gateway) === 0, 'the end of every connection')
    })

  test('for each of many streams that are reset while their requests are queued', async () => {
    await using gateway = await start(() => respond(200, 'late'))
    using client = await open(gateway, 'plain')
    const burst = Array.from({ length: 40 }, (_, i) => 2 * i + 1)
    client.send(...burst.map((stream) => headers(stream, head)))
    client.send(...burst.map((stream) => resetStream(stream, noError)), headers(81, get('/', 'localhost')))
    assert.equal(await client.outcome(81), 'answered')
    await until(() => gateway.ports.exchangesInFlight === 0, 'the end of every exchange')
  })

  test('when the reply is complete and the reader of the upload has given up', async () => {
    let upload: Readable | undefined
    const replied = Promise.withResolvers<Reply>()
    const large = { http2WindowBytes: 1 << 20, http2ConnectionWindowBytes: 1 << 20 }
    await using gateway = await startGateway([
      {
        listeners: [
          {
            pipeline: replying((x) => {
              upload = x.request.body.source() as Readable
              upload.on('error', () => undefined)
              return replied.promise
            }),
          },
        ],
        frontend: { http: large },
      },
    ])
    using client = new RawHttp2Client(gateway.port())
    await client.until(({ type, flags }) => type === frameType.settings && flags !== flag.ack)
    client.send(post1(20, 0))
    await until(() => (upload?.readableLength ?? 0) >= 65_536, 'an upload that is paused')
    upload?.destroy()
    replied.resolve(respond(413, 'too large'))
    assert.equal(await client.outcome(1), 'answered')
    await until(() => gateway.ports.exchangesInFlight === 0, 'the end of the exchange')
  })

  for (const key of ['plain', 'tls'])
    test(`for each of many streams whose reply comes as their session is destroyed (${key})`, async () => {
      const released = Promise.withResolvers<undefined>()
      await using gateway = await start(async () => {
        await released.promise
        return respond(200, 'late')
      })
      const sessions: ClientHttp2Session[] = Array.from({ length: 5 }, () =>
        connect(`${key === 'tls' ? 'https' : 'http'}://localhost:${gateway.port(key)}`, {
          ca: authority.cert,
        }),
      )
      for (const session of sessions) {
        session.on('error', () => undefined)
        for (let i = 0; i < 100; i++) session.request({ ':path': `/${i}` }).on('error', () => undefined)
      }
      await until(() => gateway.began === 500, 'every exchange')
      released.resolve(undefined)
      for (const session of sessions) session.destroy()
      await until(() => gateway.ports.exchangesInFlight === 0, 'the end of every exchange')
      await until(() => connections(gateway) === 0, 'the end of every connection')
      assert.equal(gateway.ended.length, 500)
    })

  for (const key of ['plain', 'tls'])
    test(`whose connection is full, when it is reset, or half-closed and read again (${key})`, async () => {
      await using gateway = await start(() => {
        const body = new ManualBody()
        for (let i = 0; i < 16; i++) body.send(Buffer.alloc(1 << 20))
        return new Reply(200, new Headers([]), body.end(), 'Upstream')
      })
      const clients = await Promise.all([0, 1, 2].map(() => open(gateway, key)))
      for (const client of clients) {
        client.send(streamWindow(window.large), widenConnection(window.large - window.default), get1)
        client.socket.pause()
      }
      await until(() => gateway.began === 3, 'every exchange')
      const [reset, left, halfClosed] = clients as [RawHttp2Client, RawHttp2Client, RawHttp2Client]
      reset.socket.resetAndDestroy()
      left.socket.destroy()
      halfClosed.socket.end()
      halfClosed.socket.resume()
      await until(() => gateway.ports.exchangesInFlight === 0 && connections(gateway) === 0, 'the end')
    })
})
