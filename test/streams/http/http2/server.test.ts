import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { emptyBody } from '../../../../src/model/exchange/body.ts'
import { Headers } from '../../../../src/model/exchange/headers.ts'
import { deny, Reply, respond } from '../../../../src/model/exchange/reply.ts'
import { ManualBody } from '../../../../src/testing/manual-body.ts'
import { replying, type FrontendParts, forwardTo, poolTo, startGateway } from '../../../support/gateway.ts'
import { flag, frame, frameType, get, headers, RawHttp2Client } from '../../../support/h2-client.ts'
import { startRecorder } from '../../../support/recorder.ts'
import { startUpstream } from '../../../support/upstream.ts'

type Decide = Parameters<typeof replying>[0]

const serving = (decide: Decide, frontend: FrontendParts = {}) =>
  startGateway([{ listeners: [{ pipeline: replying(decide) }], frontend }])

const upstreamReply = (status: number, raw: string[], body: Reply['body'] = emptyBody): Reply =>
  new Reply(status, new Headers(raw), body, 'Upstream')

/** A client's session that ends with its scope. */
const open = (port: number): ClientHttp2Session & AsyncDisposable => {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => undefined)
  return Object.assign(session, {
    async [Symbol.asyncDispose]() {
      session.destroy()
      if (!session.closed) await once(session, 'close')
    },
  })
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
  readonly trailers: Record<string, unknown>
  readonly resetCode: number
}

const answerOf = (stream: ClientHttp2Stream): Promise<Answer> =>
  new Promise((resolve) => {
    let head: Record<string, unknown> = {}
    let trailers: Record<string, unknown> = {}
    let body = ''
    stream.on('response', (fields) => {
      head = fields
    })
    stream.on('trailers', (fields) => {
      trailers = fields as Record<string, unknown>
    })
    stream.on('data', (chunk: Buffer) => (body += chunk.toString()))
    stream.on('error', () => undefined)
    stream.on('close', () =>
      resolve({
        status: Number(head[':status'] ?? 0),
        headers: head,
        body,
        trailers,
        resetCode: stream.rstCode,
      }),
    )
  })

const ask = async (port: number, fields: OutgoingHttpHeaders = {}, body?: string): Promise<Answer> => {
  await using session = open(port)
  const stream = session.request({ ':authority': 'a.example', ...fields }, { endStream: body === undefined })
  const answer = answerOf(stream)
  if (body !== undefined) stream.end(body)
  return await answer
}

test('HTTP/2 requests', async (t) => {
  await t.test('are the same as those of HTTP/1.1', async () => {
    await using gateway = await serving(async (x) => {
      const { method, path, query, authority, headers, httpVersion } = x.request
      const body = String(await x.request.body.read(100))
      return respond(
        200,
        JSON.stringify({ method, path, query, authority, httpVersion, raw: headers.raw, body }),
      )
    })
    const fields = {
      ':method': 'POST',
      ':path': '/a/./b?c',
      'x-a': ['1', '2'],
      cookie: ['d=1', 'e=2'],
      te: 'trailers',
    }
    const { body } = await ask(gateway.port(), fields, 'hello')
    assert.deepEqual(JSON.parse(body), {
      method: 'POST',
      path: '/a/b',
      query: '?c',
      authority: 'a.example',
      httpVersion: '2',
      raw: ['host', 'a.example', 'x-a', '1', 'x-a', '2', 'cookie', 'd=1; e=2', 'te', 'trailers'],
      body: 'hello',
    })
  })

  await t.test('share a port with HTTP/1.1', async () => {
    await using gateway = await serving((x) => respond(200, x.request.httpVersion))
    assert.equal((await ask(gateway.port())).body, '2')
    assert.equal(await (await fetch(`http://127.0.0.1:${gateway.port()}/`)).text(), '1.1')
  })

  await t.test('reach an upstream of HTTP/1.1, with a body of any length', async () => {
    await using upstream = await startUpstream((req, res) => {
      let sizeBytes = 0
      req.on('data', (chunk: Buffer) => (sizeBytes += chunk.length))
      req.on('end', () => res.end(`${req.httpVersion} ${sizeBytes}`))
    })
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    assert.equal((await ask(gateway.port())).body, '1.1 0')
    assert.equal(
      (await ask(gateway.port(), { ':method': 'POST' }, 'x'.repeat(3_000_000))).body,
      '1.1 3000000',
    )
    const ended = [await gateway.nextEnded(), await gateway.nextEnded()]
    assert.deepEqual(
      ended.map(({ downstream }) => [downstream.truncatedBy, downstream.sentBytes]),
      [
        [undefined, 5],
        [undefined, 11],
      ],
    )
    await pool.destroy()
  })

  await t.test('with trailers forward them behind the body', async () => {
    await using gateway = await serving(
      (x) =>
        new Promise<Reply>((resolve) => {
          x.request.body.pipe({
            write: () => true,
            end: (trailers) => resolve(respond(200, JSON.stringify(trailers ?? []))),
            fail: () => undefined,
            onDrain: () => undefined,
          })
        }),
    )
    using client = new RawHttp2Client(gateway.port())
    client.send(
      headers(1, [[':method', 'POST'], ...get().slice(1)], flag.endHeaders),
      frame(frameType.data, 0, 1, 'hello'),
      headers(1, [['x-sum', '1']]),
    )
    const data = await client.until(({ type, stream }) => type === frameType.data && stream === 1)
    assert.equal(String(data?.payload), '["x-sum","1"]')
  })

  await t.test('with trailers forward them with many concurrent streams', async () => {
    await using gateway = await serving(
      (x) =>
        new Promise<Reply>((resolve, reject) => {
          x.request.body.pipe({
            write: () => true,
            end: (trailers) => resolve(respond(200, JSON.stringify(trailers ?? []))),
            fail: reject,
            onDrain: () => undefined,
          })
        }),
    )
    using client = new RawHttp2Client(gateway.port())
    const streams = Array.from({ length: 40 }, (_, i) => 2 * i + 1)
    client.send(
      ...streams.flatMap((stream) => [
        headers(stream, [[':method', 'POST'], ...get().slice(1)], flag.endHeaders),
        frame(frameType.data, 0, stream, 'hello'),
        headers(stream, [['x-sum', String(stream)]]),
      ]),
    )
    for (const stream of streams) {
      const data = await client.until((one) => one.type === frameType.data && one.stream === stream)
      assert.equal(String(data?.payload), `["x-sum","${stream}"]`)
    }
  })

  await t.test('that expect 100 get it when the body is read, and not if they are refused', async () => {
    const ask100 = async (port: number): Promise<[boolean, number]> => {
      await using session = open(port)
      const stream = session.request({ ':method': 'POST', expect: '100-continue' })
      let proceeded = false
      stream.on('continue', () => {
        proceeded = true
        stream.end('hello')
      })
      const { status } = await answerOf(stream)
      return [proceeded, status]
    }
    await using reading = await serving(async (x) => respond(200, await x.request.body.read(10)))
    assert.deepEqual(await ask100(reading.port()), [true, 200])
    await using refusing = await serving(() => deny(401, 'no_token'))
    assert.deepEqual(await ask100(refusing.port()), [false, 401])
  })
})

test('HTTP/2 replies', async (t) => {
  await t.test('keep order and repeats of fields', async () => {
    await using gateway = await serving(() =>
      upstreamReply(200, ['set-cookie', 'a=1', 'x-b', '2', 'x-b', '3', 'set-cookie', 'c=3', 'etag', '"x"']),
    )
    const { headers: fields } = await ask(gateway.port())
    assert.deepEqual([fields['set-cookie'], fields['x-b'], fields.etag], [['a=1', 'c=3'], '2, 3', '"x"'])
  })

  await t.test('of unknown length forward trailers, such as those of gRPC', async () => {
    await using gateway = await serving(() =>
      upstreamReply(
        200,
        ['content-type', 'application/grpc'],
        new ManualBody().send('message').end(['grpc-status', '0', 'grpc-message', 'ok']),
      ),
    )
    const { body, trailers, resetCode } = await ask(gateway.port())
    assert.deepEqual(
      [body, trailers['grpc-status'], trailers['grpc-message'], resetCode],
      ['message', '0', 'ok', 0],
    )
  })

  await t.test('without a body end with their head', async () => {
    await using gateway = await serving(() => upstreamReply(204, []))
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, get()))
    const head = await client.until(({ type, stream }) => type === frameType.headers && stream === 1)
    assert.ok(head && (head.flags & flag.endStream) !== 0)
  })

  await t.test('to HEAD have the length of a body that is not sent', async () => {
    await using gateway = await serving(() => respond(200, 'hello'))
    const { headers: fields, body } = await ask(gateway.port(), { ':method': 'HEAD' })
    assert.deepEqual([fields['content-length'], body], ['5', ''])
    assert.equal((await gateway.nextEnded()).downstream.sentBytes, 0)
  })

  await t.test('are errors in gRPC format for gRPC clients, in the head alone', async () => {
    await using gateway = await serving(() => deny(404, 'route_not_found', { message: 'route not found' }))
    const {
      status,
      headers: fields,
      body,
    } = await ask(gateway.port(), { 'content-type': 'application/grpc' })
    assert.deepEqual(
      [status, fields['content-type'], fields['grpc-status'], fields['grpc-message'], body],
      [200, 'application/grpc', '12', 'route not found', ''],
    )
  })

  await t.test('that are invalid become 502', async () => {
    for (const reply of [
      () => upstreamReply(99, []),
      () => upstreamReply(101, []),
      () => Object.assign(upstreamReply(200, []), { tunnel: new PassThrough() }),
      () => upstreamReply(200, ['x a', 'b']),
      () => upstreamReply(200, ['connection', 'close']),
    ]) {
      await using gateway = await serving(reply)
      assert.equal((await ask(gateway.port())).status, 502)
    }
  })

  await t.test('may be preceded by informational responses', async () => {
    await using gateway = await serving((x) => {
      x.downstream.informationalSink?.sendInformational(
        103,
        ['link', '</a>', 'link', '</b>'],
        () => undefined,
      )
      x.downstream.informationalSink?.sendInformational(103, ['bad name', 'x'], () => undefined)
      return respond(200, 'ok')
    })
    await using session = open(gateway.port())
    const stream = session.request({})
    const hints: unknown[] = []
    stream.on('headers', (fields) => hints.push([fields[':status'], fields.link]))
    assert.equal((await answerOf(stream)).status, 200)
    assert.deepEqual(hints, [[103, '</a>, </b>']])
  })

  await t.test('that are aborted reset the stream with an error', async () => {
    let breakOff: () => void = () => undefined
    await using upstream = await startUpstream((_, res) => {
      res.write('half')
      breakOff = () => res.socket?.resetAndDestroy()
    })
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    await using session = open(gateway.port())
    const stream = session.request({ ':authority': 'a.example' })
    stream.once('data', () => breakOff())
    const { body, resetCode } = await answerOf(stream)
    assert.deepEqual([body, resetCode], ['half', constants.NGHTTP2_INTERNAL_ERROR])
    assert.match((await gateway.nextEnded()).downstream.truncatedBy ?? '', /upstream/)
    await pool.destroy()
  })

  await t.test('before the end of the request end the stream without an error', async () => {
    await using gateway = await serving(() => respond(413, 'too large'))
    await using session = open(gateway.port())
    const stream = session.request({ ':method': 'POST' })
    stream.write('x')
    const { status, body, resetCode } = await answerOf(stream)
    assert.deepEqual([status, body, resetCode], [413, 'too large', constants.NGHTTP2_NO_ERROR])
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, undefined)
  })
})

test('HTTP/2 connections', async (t) => {
  await t.test('end the exchange of a stream that is reset, and no other', async () => {
    await using upstream = await startRecorder('')
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, get('/1')), headers(3, get('/2')))
    await upstream.until(() => upstream.requests().length === 2)
    client.send(frame(frameType.resetStream, 0, 1, Buffer.from([0, 0, 0, 8])))
    const x = await gateway.nextEnded()
    assert.deepEqual([x.request.path, x.downstream.truncatedBy], ['/1', 'client left'])
    await upstream.until(() => upstream.connections.filter(({ closed }) => closed).length === 1)
    assert.equal(gateway.ended.length, 1)
    await pool.destroy()
  })

  await t.test('pause an upstream whose client does not read', async () => {
    let sentBytes = 0
    await using upstream = await startUpstream((_, res) => {
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        while (sentBytes < 100_000_000) {
          sentBytes += chunk.length
          if (!res.write(chunk)) return
        }
      }
      res.on('drain', more)
      more()
    })
    const pool = poolTo(upstream.host)
    await using gateway = await startGateway([{ listeners: [{ pipeline: forwardTo(pool) }] }])
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, get()))
    await client.until(({ type }) => type === frameType.data)
    for (let last = -1; last !== sentBytes;) {
      last = sentBytes
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(sentBytes < 20_000_000, `${sentBytes} bytes`)
    client.socket.destroy()
    await gateway.nextEnded()
    await pool.destroy()
  })

  await t.test('get a GOAWAY when the port drains, and finish their streams', async () => {
    const body = new ManualBody()
    const gateway = await serving(() => upstreamReply(200, [], body))
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, get()))
    body.send('first')
    await client.until(({ type }) => type === frameType.data)
    const drained = gateway.ports.drain(60_000)
    const goAway = await client.until(({ type }) => type === frameType.goAway)
    assert.equal(goAway?.payload.readUInt32BE(4), 0)
    body.send('last').end()
    await client.until(({ type, flags }) => type === frameType.data && (flags & flag.endStream) !== 0)
    await drained
    assert.equal(gateway.ended[0]?.downstream.truncatedBy, undefined)
  })

  await t.test('have settings, windows and pings as configured', async () => {
    await using gateway = await serving(() => respond(200, 'ok'), {
      http: {
        http2WindowBytes: 100_000,
        http2ConnectionWindowBytes: 200_000,
        http2FrameBytes: 20_000,
        http2MaxHeaderBytes: 9_000,
        http2KeepaliveIntervalMs: 20,
        http2KeepaliveTimeoutMs: 1_000,
      },
    })
    using client = new RawHttp2Client(gateway.port())
    const settings = await client.until(({ type, flags }) => type === frameType.settings && flags === 0)
    const values = new Map<number, number>()
    for (let at = 0; at < settings!.payload.length; at += 6)
      values.set(settings!.payload.readUInt16BE(at), settings!.payload.readUInt32BE(at + 2))
    assert.deepEqual(
      [values.get(4), values.get(5), values.get(6), values.get(8)],
      [100_000, 20_000, 9_000, 1],
    )
    const window = await client.until(({ type, stream }) => type === frameType.windowUpdate && stream === 0)
    assert.equal(window?.payload.readUInt32BE(0), 200_000 - 65_535)
    assert.ok(await client.until(({ type }) => type === frameType.ping))
  })

  await t.test('reply 408 to an incomplete body with a timeout', async () => {
    await using gateway = await serving(async (x) => respond(200, await x.request.body.read(10)), {
      http: { requestBodyTimeoutMs: 2_000 },
    })
    await using session = open(gateway.port())
    const slow = session.request({ ':method': 'POST' })
    slow.write('x')
    const quick = session.request({ ':method': 'POST' })
    quick.end('ok')
    assert.equal((await answerOf(quick)).body, 'ok')
    assert.equal((await answerOf(slow)).status, 408)
  })

  await t.test('with a client that does not acknowledge a ping are closed', async () => {
    await using gateway = await serving(() => respond(200, 'ok'), {
      http: { http2KeepaliveIntervalMs: 20, http2KeepaliveTimeoutMs: 20 },
    })
    using client = new RawHttp2Client(gateway.port())
    assert.equal(await client.until(() => false), undefined)
  })

  await t.test('are closed after their idle time, or at their maximum age', async () => {
    for (const http of [{ idleTimeoutMs: 2_000 }, { maxConnectionDurationMs: 2_000 }]) {
      await using gateway = await serving(() => respond(200, 'ok'), { http })
      using client = new RawHttp2Client(gateway.port())
      client.send(headers(1, get()))
      assert.equal(await client.outcome(1), 'answered')
      await client.until(() => false)
      assert.ok(client.frames.some(({ type }) => type === frameType.goAway))
    }
  })

  await t.test('that are half-closed continue, and are cancelled when nothing is written', async () => {
    const body = new ManualBody()
    await using gateway = await serving(
      (x) => (x.request.path === '/late' ? upstreamReply(200, [], body) : undefined),
      {
        http: { halfCloseGraceMs: 40 },
      },
    )
    using client = new RawHttp2Client(gateway.port())
    client.send(headers(1, get('/late')))
    await client.until(({ type, stream }) => type === frameType.headers && stream === 1)
    client.socket.end()
    await client.until(() => false)
    assert.equal((await gateway.nextEnded()).downstream.truncatedBy, 'client left')
  })
})

test('a field with blanks around its value ends its stream, and not the connection', async () => {
  const seen: string[] = []
  await using gateway = await serving((x) => {
    seen.push(x.request.path)
    return respond(200, 'ok')
  })
  using client = new RawHttp2Client(gateway.port())
  for (const [i, value] of [' a', 'a ', '\ta', ' '].entries()) {
    client.send(headers(2 * i + 1, [...get(`/${i}`), ['x-a', value]]))
    assert.equal(await client.outcome(2 * i + 1), 'reset')
  }
  client.send(headers(9, [...get('/good'), ['x-a', 'a b']]))
  assert.equal(await client.outcome(9), 'answered')
  assert.deepEqual(seen, ['/good'])
})
