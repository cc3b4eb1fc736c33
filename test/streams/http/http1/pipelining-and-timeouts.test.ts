import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { BufferBody, emptyBody } from '../../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { Reply, respond } from '../../../../src/model/exchange/reply.ts'
import type { ClientConnection } from '../../../../src/streams/http/connection/client-connection.ts'
import { ManualBody } from '../../../../src/testing/manual-body.ts'
import { replying, type FrontendParts, forwardTo, poolTo, startGateway } from '../../../support/gateway.ts'
import { RawClient, statusesIn } from '../../../support/raw-client.ts'
import { startRecorder } from '../../../support/recorder.ts'
import { until } from '../../../support/stream-body.ts'
import { startUpstream } from '../../../support/upstream.ts'

type Decide = Parameters<typeof replying>[0]

const serving = (decide: Decide, frontend: FrontendParts = {}) =>
  startGateway([{ listeners: [{ pipeline: replying(decide) }], frontend }])

const get = (path = '/'): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** Replies on demand, and records its requests. */
class Held {
  readonly asked: string[] = []
  readonly exchanges: Exchange[] = []
  readonly #answers = new Map<string, (reply: Reply) => void>()
  #waiting: (() => void)[] = []

  readonly decide: Decide = (x) => {
    this.asked.push(x.request.path)
    this.exchanges.push(x)
    const waiting = this.#waiting
    this.#waiting = []
    for (const one of waiting) one()
    return new Promise<Reply>((resolve) => this.#answers.set(x.request.path, resolve))
  }

  answer(path: string, reply: Reply = respond(200, path)): void {
    this.#answers.get(path)?.(reply)
  }

  async whenAsked(path: string): Promise<void> {
    while (!this.asked.includes(path)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

test('pipelined requests', async (t) => {
  await t.test('are served one after the other, in order', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide)
    using client = await RawClient.to(gateway.port())
    client.send(get('/1') + get('/2') + get('/3'))
    await held.whenAsked('/1')
    assert.deepEqual(held.asked, ['/1'])
    held.answer('/1')
    await held.whenAsked('/2')
    assert.deepEqual(held.asked, ['/1', '/2'])
    held.answer('/2')
    await held.whenAsked('/3')
    held.answer('/3')
    await client.until('\r\n\r\n/3')
    assert.match(client.received, /\/1HTTP[^]*\/2HTTP[^]*\/3$/)
  })

  await t.test('with bodies get them', async () => {
    await using gateway = await serving(async (x) => respond(200, await x.request.body.read(100_000)))
    using client = await RawClient.to(gateway.port())
    const post = (body: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    client.send(post('first') + post('s'.repeat(90_000)) + post('third'))
    await client.until(/third$/)
    assert.deepEqual(statusesIn(client.received), [200, 200, 200])
  })

  await t.test('are not buffered without limit', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide)
    using client = await RawClient.to(gateway.port())
    client.send(get('/first'))
    await held.whenAsked('/first')
    const flood = get(`/${'x'.repeat(1_000)}`)
    // Far more than the buffers of two sockets: it fits only if the gateway keeps reading.
    const full = Buffer.from(flood.repeat(16_000))
    let isWritten = false
    client.socket.write(full, () => {
      isWritten = true
    })
    for (let last = -1; last !== client.socket.bytesWritten - client.socket.writableLength;) {
      last = client.socket.bytesWritten - client.socket.writableLength
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    assert.equal(isWritten, false)
    assert.deepEqual(held.asked, ['/first'])
  })

  await t.test('behind a broken one are not served', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide)
    using client = await RawClient.to(gateway.port())
    client.send(get('/1') + 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n' + get('/3'))
    await held.whenAsked('/1')
    held.answer('/1')
    assert.deepEqual(statusesIn(await client.end()), [200, 400])
    assert.deepEqual(held.asked, ['/1'])
  })

  await t.test('with garbage behind a valid one let that finish, and close the connection', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide)
    using client = await RawClient.to(gateway.port())
    client.send(get('/1') + 'nonsense\r\n\r\n')
    await held.whenAsked('/1')
    held.answer('/1')
    const answer = await client.end()
    assert.deepEqual(statusesIn(answer), [200, 400])
    assert.match(answer, /connection: close/i)
  })
})

test('a client that disconnects', async (t) => {
  await t.test('after half-closing still gets its reply', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide)
    using client = await RawClient.to(gateway.port())
    client.send(get('/1'))
    await held.whenAsked('/1')
    client.socket.end()
    await once(client.socket, 'finish')
    held.answer('/1')
    assert.match(await client.end(), /200 OK[^]*\/1$/)
  })

  await t.test('is cancelled after the grace period without a byte', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide, { http: { halfCloseGraceMs: 40 } })
    using client = await RawClient.to(gateway.port())
    client.send(get('/1'))
    await held.whenAsked('/1')
    client.socket.end()
    const x = await gateway.nextEnded()
    assert.equal(x.downstream.truncatedBy, 'client left')
    assert.equal(x.signal.aborted, true)
  })

  await t.test('and half-closed is served as long as bytes are written', async () => {
    const held = new Held()
    const body = new ManualBody()
    await using gateway = await serving(held.decide, { http: { halfCloseGraceMs: 1_000 } })
    using client = await RawClient.to(gateway.port())
    client.send(get('/1'))
    await held.whenAsked('/1')
    client.socket.end()
    held.answer('/1', new Reply(200, new Headers(), body, 'Upstream'))
    // Twice as long as the grace, in steps that are short even on a busy machine.
    for (let i = 0; i < 40; i++) {
      body.send('tick')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    body.end()
    assert.match(await client.end(), /0\r\n\r\n$/)
  })

  await t.test('with a reset ends the exchange at once, and the upstream call with it', async () => {
    await using upstream = await startRecorder('')
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    using client = await RawClient.to(gateway.port())
    client.send(get('/1'))
    await upstream.until(() => upstream.requests().length === 1)
    const began = performance.now()
    client.socket.resetAndDestroy()
    await upstream.until(() => upstream.connections.every(({ closed }) => closed))
    assert.ok(performance.now() - began < 20_000)
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, 'client left')
    await pool.destroy()
  })

  await t.test('in the middle of a reply ends the exchange once, with the sent bytes', async () => {
    const body = new ManualBody()
    await using gateway = await serving(() => new Reply(200, new Headers(), body, 'Upstream'))
    using client = await RawClient.to(gateway.port())
    client.send(get())
    body.send('12345')
    await client.until('12345')
    client.socket.resetAndDestroy()
    const x = await gateway.nextEnded()
    assert.deepEqual(
      [x.downstream.truncatedBy, x.downstream.sentBytes, x.downstream.endedAt > 0],
      ['client left', 5, true],
    )
    assert.equal(gateway.ended.length, 1)
  })
})

test('a client that does not read pauses the upstream', async () => {
  let sentBytes = 0
  await using upstream = await startUpstream((_, res) => {
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (sentBytes < 200_000_000) {
        sentBytes += chunk.length
        if (!res.write(chunk)) return
      }
    }
    res.on('drain', more)
    more()
  })
  const pool = poolTo(upstream.host)
  await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
  const socket = connect(gateway.port(), '127.0.0.1')
  socket.write(get())
  await once(socket, 'readable')
  for (let last = -1; last !== sentBytes;) {
    last = sentBytes
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.ok(sentBytes < 50_000_000, `${sentBytes} bytes`)
  socket.destroy()
  await gateway.nextEnded()
  await pool.destroy()
})

test('a reply before the end of the request', async (t) => {
  const early: Decide = () => respond(413, 'too large')

  await t.test('reaches a client that is still sending, and closes the connection', async () => {
    await using gateway = await serving(early)
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n')
    for (let i = 0; i < 40; i++) client.send(Buffer.alloc(65_536))
    const answer = await client.end()
    assert.match(answer, /413[^]*connection: close[^]*too large$/i)
  })

  await t.test('keeps the connection if little is left of the request', async () => {
    await using gateway = await serving(early)
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n')
    await client.until('too large')
    client.send('hello' + get())
    await client.until(/too large[^]*too large/)
    assert.deepEqual(statusesIn(client.received), [413, 413])
  })

  await t.test('closes the connection if the rest of the request has no length', async () => {
    await using gateway = await serving(early)
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
    assert.match(await client.end(), /connection: close/i)
  })

  await t.test('reaches the client if the upstream is unreachable', async () => {
    const pool = poolTo('127.0.0.1:1')
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nhello')
    assert.deepEqual(statusesIn(await client.end()), [503])
    await pool.destroy()
  })
})

test('a small body', async (t) => {
  let begun = 0
  const kinds: Decide = async (x) => {
    begun++
    const { body } = x.request
    const kind = body instanceof BufferBody ? 'bytes' : 'stream'
    return respond(200, `${kind} ${String(await body.read(100))}`)
  }
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'

  await t.test('in the packet of its head is in memory, and a later one is a stream', async () => {
    await using gateway = await serving(kinds)
    using client = await RawClient.to(gateway.port())
    client.send(`${head}hello`)
    await client.until('bytes hello')
    const before = begun
    client.send(`${head}he`)
    await until(() => begun > before, 'the request')
    client.send('llo')
    await client.until('stream hello')
  })

  await t.test('that is incomplete starts no exchange, or ends it', async () => {
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      await using gateway = await serving(kinds)
      using client = await RawClient.to(gateway.port())
      client.send(`${head}he`)
      client.socket[leave]()
      await client.end()
      await gateway.ports.drain(1_000)
      assert.ok(gateway.ended.every((x) => x.reply?.status !== 200))
      assert.equal(gateway.began, gateway.ended.length)
    }
  })
})

test('timeouts', async (t) => {
  await t.test('close a connection without data', async () => {
    await using gateway = await serving(() => respond(200, 'ok'), { http: { headersTimeoutMs: 40 } })
    using client = await RawClient.to(gateway.port())
    assert.equal(await client.end(), '')
  })

  await t.test('reply 408 to an incomplete head', async () => {
    await using gateway = await serving(() => respond(200, 'ok'), { http: { headersTimeoutMs: 500 } })
    using client = await RawClient.to(gateway.port())
    client.send('GET / HTTP/1.1\r\nHost: a\r\n')
    const answer = await client.end()
    assert.deepEqual(statusesIn(answer), [408])
    assert.match(answer, /content-type: text\/plain/)
  })

  await t.test('reply 408 to an incomplete body, and abort the upstream call', async () => {
    await using upstream = await startRecorder('')
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([
      {
        listeners: [{ pipeline: forwardTo(pool) }],
        frontend: { http: { headersTimeoutMs: 2_000, requestBodyTimeoutMs: 2_000 } },
      },
    ])
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello')
    assert.deepEqual(statusesIn(await client.end()), [408])
    await upstream.until(() => upstream.connections.every(({ closed }) => closed))
    assert.equal(upstream.requests()[0]?.isComplete, false)
    assert.equal((await gateway.nextEnded()).reply?.reason, 'Timeout')
    await pool.destroy()
  })

  await t.test('do not affect a slow body if none is configured', async () => {
    await using gateway = await serving(async (x) => respond(200, await x.request.body.read(10)), {
      http: { headersTimeoutMs: 500 },
    })
    using client = await RawClient.to(gateway.port())
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh')
    // Longer than the timeout of the head and the interval of its checks.
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 70))
    client.send('i')
    await client.until(/hi$/)
  })

  await t.test('close a connection that is idle after its reply', async () => {
    await using gateway = await serving(() => respond(200, 'ok'), { http: { idleTimeoutMs: 1_000 } })
    using client = await RawClient.to(gateway.port())
    client.send(get())
    assert.deepEqual(statusesIn(await client.end()), [200])
  })

  await t.test('close a connection at its maximum age: at once if idle, with its reply if busy', async () => {
    const held = new Held()
    await using gateway = await serving(held.decide, { http: { maxConnectionDurationMs: 2_000 } })
    using busy = await RawClient.to(gateway.port())
    busy.send(get('/1'))
    using idle = await RawClient.to(gateway.port())
    idle.send(get('/2'))
    await held.whenAsked('/2')
    held.answer('/2')
    const answer = await idle.end()
    assert.doesNotMatch(answer, /connection: close/i)
    held.answer('/1')
    assert.match(await busy.end(), /connection: close[^]*\/1$/i)
  })
})

test('a connection at its maximum age between two pipelined requests replies to the pending one', async () => {
  const held = new Held()
  await using gateway = await serving(held.decide)
  using client = await RawClient.to(gateway.port())
  client.send(get('/1') + get('/2') + get('/3'))
  await held.whenAsked('/1')
  const { driver } = held.exchanges[0]?.request.connection as ClientConnection
  assert.ok(driver)
  const ended = driver.ended.bind(driver)
  // The age is reached after the first response, and before the turn of the second request.
  driver.ended = (x) => {
    driver.ended = ended
    ended(x)
    driver.close()
  }
  held.answer('/1')
  await held.whenAsked('/2')
  held.answer('/2')
  const received = await client.end()
  assert.deepEqual(statusesIn(received), [200, 200])
  assert.match(received, /connection: close[^]*\/2$/i)
})

test('exchanges beyond the process limit get 503', async () => {
  const held = new Held()
  await using gateway = await serving(held.decide, { admission: { maxExchanges: 1 } })
  using first = await RawClient.to(gateway.port())
  first.send(get('/1'))
  await held.whenAsked('/1')
  using second = await RawClient.to(gateway.port())
  second.send(get('/2'))
  await second.until('overloaded')
  assert.match(second.received, /^HTTP\/1\.1 503 [^]*retry-after: \d/)
  const x = await gateway.nextEnded()
  assert.deepEqual([x.reply?.reason, x.reply?.code], ['Overloaded', 'overloaded'])
  held.answer('/1')
  await first.until('/1')
  second.send(get('/3'))
  await held.whenAsked('/3')
})

test('an empty reply ends its exchange, and counts no bytes', async () => {
  await using gateway = await serving(() => new Reply(200, new Headers(), emptyBody, 'DirectResponse'))
  using client = await RawClient.to(gateway.port())
  client.send(get())
  await client.until('content-length: 0')
  const x = await gateway.nextEnded()
  assert.deepEqual(
    [x.downstream.sentBytes, x.downstream.truncatedBy, x.snapshot.exchanges],
    [0, undefined, 0],
  )
})

test('request lines of other protocols are refused', async (t) => {
  const ok = get('/1')
  const lines: Readonly<Record<string, string>> = {
    RTSP: 'GET /a RTSP/1.0\r\nHost: a\r\n\r\n',
    'RTSP with the version of HTTP': 'OPTIONS * RTSP/1.1\r\nHost: a\r\n\r\n',
    'HTTP/2.0': 'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
    'HTTP/1.2': 'GET / HTTP/1.2\r\nHost: a\r\n\r\n',
    'HTTP/0.9': 'GET / HTTP/0.9\r\nHost: a\r\n\r\n',
    'no protocol': 'GET /\r\nHost: a\r\n\r\n',
    ICY: 'GET / ICY\r\nHost: a\r\n\r\n',
    ICE: 'SOURCE / ICE/1.0\r\nHost: a\r\n\r\n',
    'another letter case': 'GET / http/1.1\r\nHost: a\r\n\r\n',
  }
  for (const [what, line] of Object.entries(lines))
    await t.test(what, async () => {
      await using gateway = await serving(() => respond(200, 'ok'))
      using client = await RawClient.to(gateway.port())
      client.send(line)
      assert.deepEqual(statusesIn(await client.end()), [400])
      assert.equal(gateway.began, 0)
    })

  await t.test('behind others, at once or later', async () => {
    await using gateway = await serving(() => respond(200, 'ok'))
    for (const isAtOnce of [true, false]) {
      using client = await RawClient.to(gateway.port())
      const rtsp = 'GET /a RTSP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n'
      client.send(isAtOnce ? ok + rtsp + ok : ok)
      if (!isAtOnce) {
        await client.until(/ok$/)
        client.send(rtsp + ok)
      }
      assert.deepEqual(statusesIn(await client.end()), [200, 400])
    }
  })
})
