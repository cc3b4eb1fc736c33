import assert from 'node:assert/strict'
import { createServer as createHttp2Server } from 'node:http2'
import { test } from 'node:test'
import { emptyBody } from '../../../../src/model/exchange/body.ts'
import type { UpstreamCall, UpstreamRequest } from '../../../../src/upstream/call.ts'
import type { Endpoint } from '../../../../src/upstream/load-balancing/endpoint.ts'
import { callHttp } from '../../../../src/upstream/http/http1-pooled.ts'
import { callHttp2 } from '../../../../src/upstream/http/http2.ts'
import { callNodeHttp } from '../../../../src/upstream/http/http1-node.ts'
import { callUpgrade } from '../../../../src/upstream/http/upgrade.ts'
import { UpstreamRecorder } from '../../../support/upstream-recorder.ts'
import { withEndpoint } from '../../../support/endpoints.ts'
import { until } from '../../../support/stream-body.ts'
import { listening, rawResponse, rawServer, type UpstreamServer } from '../../../support/upstream-servers.ts'

const request: UpstreamRequest = { method: 'GET', target: '/', headers: ['host', 'up.test'], body: emptyBody }

/** Ways to call an upstream over HTTP/1.1. */
const ways: Readonly<Record<string, (endpoint: Endpoint, answer: UpstreamRecorder) => UpstreamCall>> = {
  'a plain call': ({ pool }, answer) => callHttp(pool, request, answer),
  'a call with trailers': ({ agent }, answer) => callNodeHttp(agent, request, answer),
  'an upgrade': (endpoint, answer) => callUpgrade(endpoint, request, 'websocket', answer),
}

const send = (way: string, endpoint: Endpoint, answer = new UpstreamRecorder()) => {
  ways[way]?.(endpoint, answer)
  return answer
}

const text = async (answer: UpstreamRecorder): Promise<string> => String(await answer.body?.read(1_000_000))

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'

/** Sends the bytes one by one, each in its own packet. */
const dripping = (bytes: string): Promise<UpstreamServer> =>
  rawServer((socket) => {
    socket.setNoDelay(true)
    socket.once('data', () => {
      let sent = 0
      const next = () => {
        if (sent < bytes.length) socket.write(bytes.charAt(sent++), 'latin1', () => setImmediate(next))
      }
      next()
    })
  })

/** Sends informational responses for as long as they are read, after the head of a request. */
const hinting = (): Promise<UpstreamServer> =>
  rawServer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(hint));
    }
    socket.on('drain', more).once('data', more)
  })

/** Reads informational responses one at a time, on demand. */
const slowReader = (): UpstreamRecorder => {
  const reader = new UpstreamRecorder()
  reader.readsOn = false
  return reader
}

for (const way of Object.keys(ways)) {
  test(`${way} skips 100 Continue that was not requested`, () =>
    withEndpoint(
      rawResponse(`HTTP/1.1 100 Continue\r\n\r\n${hint}HTTP/1.1 100\r\nX: y\r\n\r\n${ok}`),
      async (endpoint) => {
        const answer = await send(way, endpoint).responded
        assert.deepEqual([answer.status, answer.fault], [200, undefined])
        assert.deepEqual(answer.infos, [{ status: 103, headers: ['link', '</a>'] }])
        assert.equal(await text(answer), 'hello')
      },
    ))

  test(`${way} reads informational responses byte by byte`, () =>
    withEndpoint(dripping(`\r\nHTTP/1.1 100 Continue\r\n\r\n${hint}${hint}${ok}`), async (endpoint) => {
      const answer = await send(way, endpoint).responded
      assert.deepEqual([answer.status, answer.infos.length], [200, 2])
      assert.equal(await text(answer), 'hello')
    }))

  test(`${way} ends with an error that names the limit if informational responses do not end`, () =>
    withEndpoint(hinting(), async (endpoint, { sockets }) => {
      const { fault, infos } = await send(way, endpoint).done
      assert.deepEqual([fault?.status, fault?.code], [502, 'too_many_informational'])
      assert.match(fault?.message ?? '', /more than 100 informational responses/)
      assert.equal(infos.length, 100)
      await until(() => sockets.size === 0, 'the end of the connection')
    }))

  for (const [what, bytes] of [
    ['one', `HTTP/1.1 103 Hints\r\nlink: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['one without an end', `HTTP/1.1 103 Hints\r\nlink: ${'x'.repeat(70_000)}`],
    ['several', `HTTP/1.1 103 Hints\r\nlink: ${'x'.repeat(7_000)}\r\n\r\n`.repeat(10)],
  ] as const)
    test(`${way} limits the bytes of informational responses, in ${what}`, () =>
      withEndpoint(rawResponse(bytes), async (endpoint) => {
        const { fault } = await send(way, endpoint).done
        assert.equal(fault?.code, 'too_many_informational')
        assert.match(fault.message, /more than 65536 bytes/)
      }))

  test(`${way} stops reading while the client has not read informational responses`, () =>
    withEndpoint(
      rawResponse(`${hint.repeat(3)}HTTP/1.1 100 Continue\r\n\r\n${ok}`),
      async (endpoint, { sockets }) => {
        const reader = slowReader()
        send(way, endpoint, reader)
        for (let seen = 1; seen <= 3; seen++) {
          await until(() => reader.infos.length >= seen, 'a hint')
          // All other data is in this process by now.
          await new Promise((resolve) => setImmediate(resolve))
          assert.equal(reader.infos.length, seen)
          assert.equal(reader.status, undefined)
          reader.resume()
        }
        assert.equal((await reader.responded).status, 200)
        assert.equal(await text(reader), 'hello')
        assert.equal(sockets.size, 1)
      },
    ))

  test(`${way} leaves bytes in the network while the client has not read informational responses`, () =>
    withEndpoint(hinting(), async (endpoint, { sockets }) => {
      const reader = slowReader()
      const call = ways[way]!(endpoint, reader)
      await until(() => reader.infos.length === 1, 'a hint')
      const [socket] = sockets
      // The server's own buffer fills when the gateway stops reading.
      await until(() => socket!.writableNeedDrain, 'that the upstream has to wait')
      assert.equal(reader.infos.length, 1)
      call.abort()
      await until(() => sockets.size === 0, 'the end of the connection')
    }))

  for (const line of [
    'HTTP/2.0 200 OK',
    'HTTP/1.2 200 OK',
    'HTTP/0.9 200 OK',
    'RTSP/1.0 200 OK',
    'ICE/1.0 200 OK',
    'ICY 200 OK',
    'http/1.1 200 OK',
  ])
    test(`${way} refuses a response that begins with ${line}`, () =>
      withEndpoint(rawResponse(`${line}\r\ncontent-length: 0\r\n\r\n`), async (endpoint) => {
        const { fault, status } = await send(way, endpoint).done
        assert.deepEqual([fault?.status, fault?.code, status], [502, 'upstream_malformed', undefined])
      }))

  for (const bytes of [
    'HTTP/1.1 103 Hints\r\nno colon\r\n\r\n',
    'HTTP/1.1 103 Hints\r\na b: c\r\n\r\n',
    'HTTP/1.1 103 Hints\r\na: b\nc: d\r\n\r\n',
    'HTTP/1.1 103 Hints\nlink: </a>\n\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 1x3 Hints\r\n\r\n',
  ])
    test(`${way} refuses an informational response like ${JSON.stringify(bytes)}`, () =>
      withEndpoint(rawResponse(bytes), async (endpoint) => {
        assert.equal((await send(way, endpoint).done).fault?.code, 'upstream_malformed')
      }))

  test(`${way} is not retried after an informational response`, () => {
    let connections = 0
    return withEndpoint(
      rawServer((socket) => {
        connections++
        socket.once('data', () => {
          socket.write(ok)
          socket.once('data', () => socket.end(`${hint}HTTP/1.1 10`))
        })
      }),
      async (endpoint) => {
        await text(await send(way, endpoint).responded)
        await new Promise((resolve) => setTimeout(resolve, 5))
        const answer = send(way, endpoint)
        if (way === 'an upgrade') await text(await answer.responded)
        else assert.equal((await answer.done).fault?.code, 'upstream_failed')
        assert.equal(connections, way === 'an upgrade' ? 2 : 1)
      },
    )
  })
}

test('a plain call reads an HTTP/1.0 response', () =>
  withEndpoint(rawResponse('HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'), async (endpoint) => {
    assert.equal((await send('a plain call', endpoint).responded).status, 200)
  }))

test('a plain call over a kept connection skips informational responses as well', () =>
  withEndpoint(rawResponse(`HTTP/1.1 100 Continue\r\n\r\n${ok}`), async (endpoint, { opened }) => {
    for (let i = 0; i < 3; i++) {
      assert.equal(await text(await send('a plain call', endpoint).responded), 'hello')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.equal(opened(), 1)
  }))

test('a call over HTTP/2 ends with an error that names the limit if informational responses do not end', async () => {
  const server = createHttp2Server()
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    const more = () => {
      if (stream.destroyed || stream.closed) return
      stream.additionalHeaders({ ':status': 103, link: '</a>' })
      setImmediate(more)
    }
    more()
  })
  await withEndpoint(
    listening(server),
    async (endpoint) => {
      const answer = new UpstreamRecorder()
      callHttp2(endpoint.http2, request, 'http', answer)
      const { fault, infos } = await answer.done
      assert.deepEqual([fault?.status, fault?.code], [502, 'too_many_informational'])
      assert.equal(infos.length, 100)
    },
    { protocol: 'http2' },
  )
})

test('a call over HTTP/2 skips 100 Continue that was not requested', async () => {
  const server = createHttp2Server()
  server.on('stream', (stream) => {
    stream.additionalHeaders({ ':status': 100 })
    stream.respond({ ':status': 204 }, { endStream: true })
  })
  await withEndpoint(
    listening(server),
    async (endpoint) => {
      const answer = new UpstreamRecorder()
      callHttp2(endpoint.http2, request, 'http', answer)
      assert.equal((await answer.responded).status, 204)
      assert.deepEqual(answer.infos, [])
    },
    { protocol: 'http2' },
  )
})
