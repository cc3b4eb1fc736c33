import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply, respond } from '../../../src/model/exchange/reply.ts'
import { ManualBody } from '../../../src/testing/manual-body.ts'
import { replying, startGateway, type TestGateway } from '../../support/gateway.ts'
import { frameType, get, headers, RawHttp2Client } from '../../support/h2-client.ts'
import { RawClient } from '../../support/raw-client.ts'

const CLIENTS = 32
const RUNS = 20
/** Pending exchanges are not aborted while a test runs. */
const LONG_MS = 120_000

const ask = 'GET / HTTP/1.1\r\nhost: a.test\r\n\r\n'

const serving = () => startGateway([{ listeners: [{ pipeline: replying(() => respond(200, 'hello')) }] }])

/** Runs clients, begins to drain after some replies, and counts the failed requests. */
const drainUnder = async (
  gateway: TestGateway,
  client: (port: number, answered: () => void) => Promise<'answered' | 'failed'>,
): Promise<number> => {
  const begun = Promise.withResolvers<undefined>()
  let answers = 0
  const answered = () => {
    if (++answers === CLIENTS * 3) begun.resolve(undefined)
  }
  const port = gateway.port()
  const all = Array.from({ length: CLIENTS }, () => client(port, answered))
  await Promise.race([begun.promise, Promise.all(all)])
  const drained = gateway.ports.drain(LONG_MS)
  const outcomes = await Promise.all(all)
  await drained
  return outcomes.filter((one) => one === 'failed').length
}

/** Sends the next request at once, over the same connection, until a reply closes it. */
const busyHttp1 = async (port: number, answered: () => void): Promise<'answered' | 'failed'> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (;;) {
      const isLast = await new Promise<boolean>((resolve, reject) => {
        const req = request({ port, host: '127.0.0.1', agent }, (res) => {
          res.on('error', reject).on('end', () => {
            // The connection is free for the next request before it begins.
            setImmediate(resolve, res.headers.connection === 'close')
          })
          res.resume()
        })
        req.on('error', reject).end()
      })
      answered()
      if (isLast) return 'answered'
    }
  } catch {
    return 'failed'
  } finally {
    agent.destroy()
  }
}

/** The same over HTTP/2. Unprocessed streams may be retried: RFC 9113 section 8.7. */
const busyHttp2 = async (port: number, answered: () => void): Promise<'answered' | 'failed'> => {
  const session: ClientHttp2Session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => undefined)
  let lastTaken = Infinity
  session.on('goaway', (_code, last: number) => (lastTaken = last))
  try {
    for (;;) {
      if (session.closed || session.destroyed) return 'answered'
      const stream = session.request({ ':path': '/' })
      const outcome = await new Promise<'ok' | 'untaken' | 'failed'>((resolve) => {
        let status = 0
        stream.on('response', (head) => (status = Number(head[':status'])))
        stream.on('error', () => undefined)
        stream.on('close', () => {
          const isUntaken =
            stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? Infinity) > lastTaken
          resolve(status === 200 && stream.rstCode === 0 ? 'ok' : isUntaken ? 'untaken' : 'failed')
        })
        stream.resume()
      })
      if (outcome === 'failed') return 'failed'
      if (outcome === 'untaken') return 'answered'
      answered()
    }
  } finally {
    session.destroy()
  }
}

for (const [name, client] of [
  ['HTTP/1.1', busyHttp1],
  ['HTTP/2', busyHttp2],
] as const)
  test(`no request of ${CLIENTS} busy clients of ${name} fails while a gateway drains, in ${RUNS} runs`, async () => {
    for (let run = 0; run < RUNS; run++) {
      await using gateway = await serving()
      assert.equal(await drainUnder(gateway, client), 0, `run ${run}`)
    }
  })

test('an idle HTTP/1.1 connection of a draining gateway serves one more request, and is closed by that reply', async () => {
  await using gateway = await serving()
  using client = await RawClient.to(gateway.port())
  client.send(ask)
  await client.until('hello')
  const drained = gateway.ports.drain(LONG_MS)
  client.received = ''
  client.send(ask)
  assert.match(await client.end(), /^HTTP\/1\.1 200 [^]*connection: close\r\n[^]*hello$/i)
  client.socket.end()
  await drained
})

test('a new connection is served by a draining gateway', async () => {
  await using gateway = await serving()
  using client = await RawClient.to(gateway.port())
  // Both have been accepted, since connections are accepted in order.
  using other = await RawClient.to(gateway.port())
  other.send(ask)
  await other.until('hello')
  const drained = gateway.ports.drain(LONG_MS)
  client.send(ask)
  assert.match(await client.end(), /connection: close/i)
  client.socket.end()
  await drained
})

test('a reply that began before a drain is followed by one that closes the connection', async () => {
  const body = new ManualBody()
  await using gateway = await startGateway([
    {
      listeners: [
        {
          pipeline: replying((x) =>
            x.request.path === '/long'
              ? new Reply(200, new Headers([]), body, 'Upstream')
              : respond(200, 'hello'),
          ),
        },
      ],
    },
  ])
  using client = await RawClient.to(gateway.port())
  client.send(ask.replace('/', '/long'))
  await client.until('\r\n\r\n')
  const drained = gateway.ports.drain(LONG_MS)
  body.send('end')
  body.end()
  await client.until('0\r\n\r\n')
  assert.doesNotMatch(client.received, /connection: close/i)
  client.received = ''
  client.send(ask)
  assert.match(await client.end(), /^HTTP\/1\.1 200 [^]*connection: close/i)
  client.socket.end()
  await drained
})

test('idle and silent connections do not delay a drain', async () => {
  await using gateway = await serving()
  using idle = await RawClient.to(gateway.port())
  idle.send(ask)
  await idle.until('hello')
  using silent = await RawClient.to(gateway.port())
  const http2 = new RawHttp2Client(gateway.port())
  http2.send(headers(1, get()))
  await http2.outcome(1)
  // It does not report that it is done, and would not for hours.
  await gateway.ports.drain(LONG_MS)
  await Promise.all([idle.end(), silent.end()])
})

test('a stream that arrives during a drain is served, and the GOAWAY after it includes it', async () => {
  await using gateway = await serving()
  const client = new RawHttp2Client(gateway.port())
  client.send(headers(1, get()))
  await client.outcome(1)
  const drained = gateway.ports.drain(LONG_MS)
  client.send(headers(3, get()))
  assert.equal(await client.outcome(3), 'answered')
  const away = await client.until(({ type }) => type === frameType.goAway)
  assert.deepEqual(
    [away?.payload.readUInt32BE(0), away?.payload.readUInt32BE(4)],
    [3, constants.NGHTTP2_NO_ERROR],
  )
  // Beyond the last processed stream.
  client.send(headers(5, get()))
  await drained
  assert.equal(gateway.began, 2)
  client.socket.destroy()
})

test('a port that a configuration closes serves its idle connections once more', async () => {
  await using gateway = await serving()
  using client = await RawClient.to(gateway.port())
  client.send(ask)
  await client.until('hello')
  await gateway.apply([])
  client.received = ''
  client.send(ask)
  assert.match(await client.end(), /^HTTP\/1\.1 200 [^]*connection: close/i)
})

test('a deadline that has passed aborts connections without any grace', async () => {
  await using gateway = await serving()
  using client = await RawClient.to(gateway.port())
  client.send(ask)
  await client.until('hello')
  const closed = once(client.socket, 'close')
  await gateway.ports.drain(0)
  client.socket.end()
  await closed
})
