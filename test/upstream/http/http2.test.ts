import assert from 'node:assert/strict'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Body, BufferBody, emptyBody } from '../../../src/model/exchange/body.ts'
import type { UpstreamRequest } from '../../../src/upstream/call.ts'
import type { Endpoint } from '../../../src/upstream/load-balancing/endpoint.ts'
import { callHttp2 } from '../../../src/upstream/http/http2.ts'
import { BufferedBody } from '../../../src/operators/body/buffered-body.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { endpointAt } from '../../support/endpoints.ts'
import { streamBody, until } from '../../support/stream-body.ts'

const request = (parts: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  method: 'GET',
  target: '/',
  headers: ['host', 'up.test'],
  body: emptyBody,
  ...parts,
})

const call = async (
  { http2 }: Endpoint,
  parts?: Partial<UpstreamRequest>,
  take?: (body: Body) => void,
): Promise<UpstreamRecorder> => {
  const answer = new UpstreamRecorder(take)
  callHttp2(http2, request(parts), 'http', answer)
  return answer.responded
}

const text = async (answer: UpstreamRecorder): Promise<string> => String(await answer.body?.read(1_000_000))

type OnStream = (stream: ServerHttp2Stream, headers: Record<string, string | string[] | undefined>) => void

interface H2 {
  readonly endpoint: Endpoint
  readonly server: Http2Server
  readonly sessions: Set<ServerHttp2Session>
  readonly opened: () => number
}

/** Cleartext HTTP/2 with prior knowledge. */
const withServer = async (
  onStream: OnStream,
  act: (h2: H2) => Promise<void>,
  settings = {},
): Promise<void> => {
  const server = createServer({ settings })
  const sessions = new Set<ServerHttp2Session>()
  let opened = 0
  server.on('session', (session) => {
    opened++
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    onStream(stream, headers)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = endpointAt((server.address() as AddressInfo).port, { protocol: 'http2' })
  try {
    await act({ endpoint, server, sessions, opened: () => opened })
  } finally {
    await endpoint.destroy()
    for (const session of sessions) session.destroy()
    server.close()
  }
}

const bodyOf = async (stream: ServerHttp2Stream): Promise<string> => {
  let all = ''
  for await (const chunk of stream) all += String(chunk)
  return all
}

test('a call over HTTP/2', async (t) => {
  await t.test('forwards head, body and repeats, and ends once', () =>
    withServer(
      (stream, headers) => {
        stream.respond({
          ':status': 200,
          'x-seen': `${String(headers[':authority'])} ${String(headers[':path'])}`,
          'set-cookie': ['a', 'b'],
        })
        stream.end('hello')
      },
      async ({ endpoint }) => {
        const answer = await call(endpoint, { target: '/a?b' })
        assert.equal(answer.status, 200)
        const { headers } = answer
        assert.equal(headers[headers.indexOf('x-seen') + 1], 'up.test /a?b')
        assert.equal(headers.filter((name) => name === 'set-cookie').length, 2)
        assert.ok(!headers.some((name) => name.startsWith(':')))
        assert.equal(await text(answer), 'hello')
        assert.equal((await answer.done).ends, 1)
      },
    ),
  )

  await t.test('forwards trailers in both directions', () =>
    withServer(
      (stream) => {
        let trailers = ''
        stream.on('trailers', (fields: Record<string, string>) => (trailers = fields['x-sum'] ?? ''))
        void bodyOf(stream).then((body) => {
          stream.respond({ ':status': 200 }, { waitForTrailers: true })
          stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-got': trailers }))
          stream.end(body)
        })
      },
      async ({ endpoint }) => {
        const answer = await call(endpoint, {
          method: 'POST',
          body: new BufferedBody(Buffer.from('data'), ['x-sum', '7']),
        })
        assert.equal(await text(answer), 'data')
        assert.deepEqual((await answer.done).trailers, ['grpc-status', '0', 'x-got', '7'])
      },
    ),
  )

  await t.test('reports a response that ends with its head as one without a body', () =>
    withServer(
      (stream) => stream.respond({ ':status': 200, 'grpc-status': '5' }, { endStream: true }),
      async ({ endpoint }) => {
        const answer = await call(endpoint)
        assert.equal(answer.body?.lengthBytes, 0)
        assert.equal(await text(answer), '')
      },
    ),
  )

  await t.test('forwards informational responses', () =>
    withServer(
      (stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</a>' })
        stream.respond({ ':status': 204 })
        stream.end()
      },
      async ({ endpoint }) => {
        const answer = await call(endpoint)
        assert.deepEqual(answer.infos, [{ status: 103, headers: ['link', '</a>'] }])
      },
    ),
  )

  await t.test('shares one connection', () =>
    withServer(
      (stream) => setTimeout(() => (stream.respond({ ':status': 200 }), stream.end('x')), 5),
      async ({ endpoint, opened }) => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => call(endpoint)))
        assert.ok(answers.every(({ status }) => status === 200))
        assert.equal(opened(), 1)
      },
    ),
  )

  await t.test('opens a second connection when the first is full', () =>
    withServer(
      (stream) => setTimeout(() => (stream.respond({ ':status': 200 }), stream.end('x')), 10),
      async ({ endpoint, opened }) => {
        await text(await call(endpoint))
        const answers = await Promise.all(Array.from({ length: 4 }, () => call(endpoint)))
        assert.ok(answers.every(({ status }) => status === 200))
        assert.ok(opened() > 1)
      },
      { maxConcurrentStreams: 2 },
    ),
  )

  await t.test('cancels its stream when it is cancelled, and keeps the connection', () => {
    const closed = Promise.withResolvers<number>()
    return withServer(
      (stream) => stream.on('close', () => closed.resolve(stream.rstCode)),
      async ({ endpoint, sessions, server }) => {
        const answer = new UpstreamRecorder()
        const running = callHttp2(endpoint.http2, request(), 'http', answer)
        await once(server, 'stream')
        running.abort()
        assert.equal(await closed.promise, 8)
        assert.deepEqual([sessions.size, answer.fault], [1, undefined])
      },
    )
  })

  await t.test('resets its stream when the body of the request is aborted', () => {
    const closed = Promise.withResolvers<boolean>()
    return withServer(
      (stream) => {
        stream.resume()
        let whole = false
        stream.on('end', () => (whole = !stream.aborted))
        stream.on('close', () => closed.resolve(whole))
      },
      async ({ endpoint, server }) => {
        const body = new Readable({ read: () => undefined })
        const answer = new UpstreamRecorder()
        callHttp2(endpoint.http2, request({ method: 'POST', body: streamBody(body) }), 'http', answer)
        body.push('part')
        await once(server, 'stream')
        body.destroy(new Error('the client has left'))
        assert.equal(await closed.promise, false)
        assert.equal((await answer.done).fault?.code, 'request_body_broken')
      },
    )
  })

  await t.test('fails when its stream is reset, before the head and after it', () =>
    withServer(
      (stream, headers) => {
        if (headers[':path'] === '/late') {
          stream.respond({ ':status': 200 })
          stream.write('part')
        }
        setTimeout(() => stream.destroy(new Error('broken')), 5)
      },
      async ({ endpoint }) => {
        const early = await call(endpoint)
        assert.deepEqual([early.fault?.status, early.fault?.code], [503, 'upstream_failed'])
        const late = await call(endpoint, { target: '/late' })
        assert.equal(late.status, 200)
        await assert.rejects(late.body!.read(100), { code: 'upstream_failed' })
        assert.equal((await late.done).ends, 0)
      },
    ),
  )

  await t.test('fails when its stream is truncated without an error', () =>
    withServer(
      (stream) => {
        stream.respond({ ':status': 200, 'content-length': '10' })
        stream.write('abc')
        setTimeout(() => stream.destroy(), 5)
      },
      async ({ endpoint }) => {
        const answer = await call(endpoint)
        await assert.rejects(answer.body!.read(100), { reason: 'UpstreamFailure' })
        assert.equal((await answer.done).ends, 0)
      },
    ),
  )

  await t.test('retries unprocessed streams', () => {
    let requests = 0
    return withServer(
      (stream) => {
        if (++requests === 1) stream.close(7)
        else {
          stream.respond({ ':status': 200 })
          stream.end('again')
        }
      },
      async ({ endpoint }) => {
        assert.equal(await text(await call(endpoint, { method: 'POST', body: new BufferBody('x') })), 'again')
        assert.equal(requests, 2)
      },
    )
  })

  await t.test('uses a new connection after a GOAWAY, and finishes on the old one', () => {
    const finish: (() => void)[] = []
    return withServer(
      (stream) => {
        stream.respond({ ':status': 200 })
        stream.write('first ')
        finish.push(() => stream.end('last'))
      },
      async ({ endpoint, sessions, opened }) => {
        const before = await call(endpoint)
        for (const session of sessions) {
          session.goaway()
          // The reply to a ping follows what came before it.
          await new Promise((resolve) => session.ping(resolve))
        }
        const after = await call(endpoint)
        assert.equal(opened(), 2)
        for (const end of finish) end()
        assert.deepEqual([await text(before), await text(after)], ['first last', 'first last'])
      },
    )
  })

  await t.test('is not buffered without limit for a paused reader', async () => {
    let sentBytes = 0
    await withServer(
      (stream) => {
        stream.respond({ ':status': 200 })
        const chunk = Buffer.alloc(65_536)
        const pump = () => {
          while (sentBytes < 50_000_000 && !stream.destroyed) {
            sentBytes += chunk.length
            if (!stream.write(chunk)) return void stream.once('drain', pump)
          }
          stream.end()
        }
        pump()
      },
      async ({ endpoint }) => {
        let resume: (() => void) | undefined
        const answer = await call(endpoint, {}, (body) =>
          body.pipe({
            write: () => resume !== undefined,
            end: () => undefined,
            fail: () => undefined,
            onDrain: (goOn) => (resume = goOn),
          }),
        )
        let last = -1
        await until(() => resume !== undefined && last === (last = sentBytes), 'a standstill')
        assert.ok(sentBytes < 5_000_000, `sent ${sentBytes}`)
        resume?.()
        await answer.done
      },
    )
  })

  await t.test('closes its connections: idle ones at once, others when they are done', async () => {
    const finish: (() => void)[] = []
    await withServer(
      (stream) => {
        stream.respond({ ':status': 200 })
        finish.push(() => stream.end('last'))
      },
      async ({ endpoint, sessions }) => {
        const answer = await call(endpoint)
        const closing = endpoint.close()
        for (const end of finish) end()
        assert.equal(await text(answer), 'last')
        await closing
        await until(() => sessions.size === 0)
      },
    )
  })

  await t.test('supports an upstream that uses HTTP/1.1', async () => {
    const { rawResponse: rawAnswer } = await import('../../support/upstream-servers.ts')
    await using server = await rawAnswer('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n', true)
    const endpoint = endpointAt(server.port, { protocol: 'http2' })
    const { fault } = await call(endpoint)
    assert.equal(fault?.reason, 'UpstreamFailure')
    await endpoint.destroy()
  })
})
