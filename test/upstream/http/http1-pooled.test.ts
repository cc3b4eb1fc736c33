import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Body, BufferBody, emptyBody } from '../../../src/model/exchange/body.ts'
import type { UpstreamRequest } from '../../../src/upstream/call.ts'
import type { Endpoint } from '../../../src/upstream/load-balancing/endpoint.ts'
import { callHttp } from '../../../src/upstream/http/http1-pooled.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { withEndpoint } from '../../support/endpoints.ts'
import { streamBody, until } from '../../support/stream-body.ts'
import { httpServer, rawResponse, rawServer } from '../../support/upstream-servers.ts'

const request = (parts: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  method: 'GET',
  target: '/',
  headers: ['host', 'up.test'],
  body: emptyBody,
  ...parts,
})

/** Sends a request and waits for its head. */
const call = async ({ pool }: Endpoint, parts?: Partial<UpstreamRequest>, take?: (body: Body) => void) => {
  const answer = new UpstreamRecorder(take)
  callHttp(pool, request(parts), answer)
  return answer.responded
}

const text = async (answer: UpstreamRecorder): Promise<string> => String(await answer.body?.read(1_000_000))

const ignore = (): void => undefined

/** undici releases a connection a turn of the event loop after its response. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

const bodyOf = async (req: IncomingMessage): Promise<string> => {
  let all = ''
  for await (const chunk of req) all += String(chunk)
  return all
}

test('a call over HTTP/1.1', async (t) => {
  await t.test('forwards head and body, and ends once', () =>
    withEndpoint(
      httpServer((req, res) => {
        res.setHeader('x-seen', `${req.method ?? ''} ${req.url ?? ''} ${req.headers.host ?? ''}`)
        res.end('hello')
      }),
      async (endpoint) => {
        const answer = await call(endpoint, { target: '/a?b=c' })
        assert.equal(answer.status, 200)
        assert.equal(answer.headers[answer.headers.indexOf('x-seen') + 1], 'GET /a?b=c up.test')
        assert.equal(answer.body?.lengthBytes, 5)
        assert.equal(await text(answer), 'hello')
        await answer.done
        assert.deepEqual([answer.ends, answer.fault], [1, undefined])
      },
    ),
  )

  await t.test('keeps repeated fields and their order', () =>
    withEndpoint(
      rawResponse(
        'HTTP/1.1 200 OK\r\nB: 1\r\nset-cookie: a\r\nA: 2\r\nset-cookie: b\r\ncontent-length: 0\r\n\r\n',
      ),
      async (endpoint) => {
        const { headers } = await call(endpoint)
        assert.deepEqual(headers, [
          'b',
          '1',
          'set-cookie',
          'a',
          'a',
          '2',
          'set-cookie',
          'b',
          'content-length',
          '0',
        ])
      },
    ),
  )

  await t.test('forwards the body of a GET', () =>
    withEndpoint(
      httpServer((req, res) => void bodyOf(req).then((body) => res.end(`${req.method ?? ''} ${body}`))),
      async (endpoint) => {
        const held = await call(endpoint, { body: new BufferBody('query') })
        assert.equal(await text(held), 'GET query')
        const streamed = await call(endpoint, { body: streamBody(['a', 'b']) })
        assert.equal(await text(streamed), 'GET ab')
      },
    ),
  )

  await t.test('ignores the length of a response to HEAD', () =>
    withEndpoint(
      httpServer((_, res) => res.writeHead(200, { 'content-length': '1000' }).end()),
      async (endpoint) => {
        const answer = await call(endpoint, { method: 'HEAD' }, (body) => body.drop())
        assert.deepEqual(answer.headers.slice(0, 2), ['content-length', '1000'])
        assert.equal(answer.body?.lengthBytes, 0)
        assert.equal((await answer.done).fault, undefined)
      },
    ),
  )

  await t.test('reads an HTTP/1.0 response to the end of its connection', () =>
    withEndpoint(rawResponse('HTTP/1.0 200 OK\r\nserver: old\r\n\r\nhello', true), async (endpoint) => {
      const answer = await call(endpoint)
      assert.equal(answer.body?.lengthBytes, undefined)
      assert.equal(await text(answer), 'hello')
      assert.equal((await answer.done).fault, undefined)
    }),
  )

  await t.test('forwards informational responses', () =>
    withEndpoint(
      rawResponse(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      ),
      async (endpoint) => {
        const answer = await call(endpoint)
        assert.deepEqual(answer.infos, [
          { status: 103, headers: ['link', '</a>'] },
          { status: 102, headers: [] },
        ])
        assert.deepEqual([answer.status, answer.body?.lengthBytes], [204, 0])
      },
    ),
  )

  await t.test('forwards trailers, without those for framing', () =>
    withEndpoint(
      rawResponse(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n',
      ),
      async (endpoint) => {
        const answer = await call(endpoint)
        assert.equal(await text(answer), 'hi')
        assert.deepEqual((await answer.done).trailers, ['x-sum', '1'])
      },
    ),
  )

  const nonsense: Record<string, string> = {
    'the status 99': 'HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n',
    'the status 1000': 'HTTP/1.1 1000 High\r\ncontent-length: 0\r\n\r\n',
    'the status 700': 'HTTP/1.1 700 Odd\r\ncontent-length: 0\r\n\r\n',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc',
    'an unknown transfer coding': 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nabc',
    'a coding before chunked': 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'a NUL in a field': 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 0\r\n\r\n',
    'a field name with a space': 'HTTP/1.1 200 OK\r\nx a: 1\r\ncontent-length: 0\r\n\r\n',
    'another protocol': '220 mail.test ESMTP\r\n\r\n',
    'a switch of protocols that was not requested':
      'HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  }
  for (const [what, bytes] of Object.entries(nonsense))
    await t.test(`replies 502 to ${what}`, () =>
      withEndpoint(rawResponse(bytes), async (endpoint, { sockets }) => {
        const { fault, status } = await call(endpoint)
        assert.equal(status, undefined)
        assert.deepEqual([fault?.status, fault?.code], [502, 'upstream_malformed'])
        assert.equal(fault?.message, 'upstream call failed: malformed answer')
        await until(() => sockets.size === 0, 'the end of the connection')
      }),
    )

  await t.test('aborts a response that is shorter than declared', () =>
    withEndpoint(rawResponse('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', true), async (endpoint) => {
      const answer = await call(endpoint)
      assert.equal(answer.status, 200)
      await assert.rejects(answer.body!.read(100), { code: 'upstream_failed' })
      const { fault, ends } = await answer.done
      assert.deepEqual([fault?.code, ends], ['upstream_failed', 0])
    }),
  )

  await t.test('explains that the connection was refused', () =>
    withEndpoint(
      httpServer(() => undefined),
      async (endpoint, server) => {
        await server[Symbol.asyncDispose]()
        const { fault } = await call(endpoint)
        assert.deepEqual(
          [fault?.status, fault?.code, fault?.message],
          [503, 'upstream_connect', 'upstream call failed: connection refused'],
        )
      },
    ),
  )

  await t.test('closes the connection at once when it is cancelled', () =>
    withEndpoint(
      rawServer((socket) => socket.on('data', () => undefined)),
      async ({ pool }, { sockets }) => {
        const answer = new UpstreamRecorder()
        const running = callHttp(pool, request(), answer)
        await until(() => sockets.size === 1)
        const [socket] = sockets
        if (!socket!.bytesRead) await new Promise((resolve) => socket!.once('data', resolve))
        const closed = new Promise((resolve) => socket!.once('close', resolve))
        const begun = performance.now()
        running.abort()
        await closed
        assert.ok(performance.now() - begun < 5_000)
        assert.equal(answer.fault, undefined)
      },
    ),
  )

  await t.test('drops a request that was cancelled before its connection was established', () =>
    withEndpoint(
      httpServer((_, res) => res.end()),
      async ({ pool }, { opened }) => {
        const answer = new UpstreamRecorder()
        callHttp(pool, request(), answer).abort()
        await until(() => opened() === 1)
        assert.deepEqual([answer.fault, answer.status], [undefined, undefined])
      },
    ),
  )
})

test('the body of a request', async (t) => {
  await t.test('that is aborted aborts the connection before it looks complete', async () => {
    let received = ''
    let ended = false
    const server = rawServer((socket) => {
      socket.on('data', (chunk) => (received += chunk.toString('latin1')))
      socket.on('close', () => (ended = true))
    })
    await withEndpoint(server, async (endpoint) => {
      const stream = new Readable({ read: () => undefined })
      const answer = new UpstreamRecorder()
      callHttp(endpoint.pool, request({ method: 'POST', body: streamBody(stream) }), answer)
      stream.push('first')
      await until(() => received.includes('first'))
      stream.destroy(new Error('the client has left'))
      await until(() => ended)
      assert.doesNotMatch(received, /\r\n0\r\n/)
      assert.deepEqual([answer.fault?.code, answer.fault?.status], ['request_body_broken', 400])
    })
  })

  await t.test('that is destroyed without an error aborts the connection, too', async () => {
    let received = ''
    const server = rawServer((socket) => socket.on('data', (chunk) => (received += chunk.toString('latin1'))))
    await withEndpoint(server, async (endpoint, { sockets }) => {
      const stream = new Readable({ read: () => undefined })
      const answer = new UpstreamRecorder()
      callHttp(endpoint.pool, request({ method: 'POST', body: streamBody(stream) }), answer)
      stream.push('first')
      await until(() => received.includes('first'))
      stream.destroy()
      await until(() => sockets.size === 0)
      assert.doesNotMatch(received, /\r\n0\r\n/)
      assert.equal((await answer.done).fault?.code, 'request_body_broken')
    })
  })

  await t.test('may be aborted if the upstream is unreachable', () =>
    withEndpoint(httpServer(ignore), async (endpoint, server) => {
      await server[Symbol.asyncDispose]()
      const stream = new Readable({ read: ignore })
      const answer = await call(endpoint, { method: 'POST', body: streamBody(stream) })
      assert.equal(answer.fault?.code, 'upstream_connect')
      stream.destroy(new Error('the client has left'))
      await turn()
      assert.equal(stream.errored?.message, 'the client has left')
    }),
  )

  await t.test('may be incomplete when the response arrives', () =>
    withEndpoint(
      rawServer((socket) => {
        socket.once('data', () => socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig'))
      }),
      async (endpoint) => {
        const stream = new Readable({ read: () => undefined })
        stream.push('x'.repeat(1000))
        const answer = await call(endpoint, { method: 'POST', body: streamBody(stream) })
        assert.equal(answer.status, 413)
        assert.equal(await text(answer), 'big')
        assert.equal((await answer.done).fault, undefined)
      },
    ),
  )

  await t.test('has the declared length, or the call fails', () =>
    withEndpoint(
      httpServer((req, res) => void bodyOf(req).then((body) => res.end(body))),
      async (endpoint) => {
        const answer = await call(endpoint, {
          method: 'POST',
          headers: ['host', 'a', 'content-length', '2'],
          body: streamBody(['abc'], 2),
        })
        assert.notEqual(answer.fault, undefined)
      },
    ),
  )
})

test('the body of a response', async (t) => {
  await t.test('is consumed once', () =>
    withEndpoint(
      httpServer((_, res) => res.end('hello')),
      async (endpoint) => {
        const answer = await call(endpoint)
        await text(answer)
        assert.throws(() => answer.body!.pipe({} as never), { code: 'body_already_used' })
      },
    ),
  )

  await t.test('that is dropped keeps its connection if it is short', () =>
    withEndpoint(
      httpServer((_, res) => res.end('hello')),
      async (endpoint, { opened }) => {
        for (let i = 0; i < 3; i++) {
          await (
            await call(endpoint, {}, (body) => body.drop())
          ).done
          await turn()
        }
        assert.equal(opened(), 1)
      },
    ),
  )

  await t.test('that is dropped and short is read to its end even if the call is cancelled', () => {
    let finish = ignore
    return withEndpoint(
      httpServer((_, res) => {
        res.writeHead(200, { 'content-length': 10 }).write('first')
        finish = () => res.end('.last')
      }),
      async ({ pool }, { opened, sockets }) => {
        for (let i = 0; i < 2; i++) {
          const answer = new UpstreamRecorder((body) => body.drop())
          const running = callHttp(pool, request(), answer)
          await answer.responded
          running.abort()
          finish()
          await until(() => pool.stats.running === 0)
          assert.equal(answer.ends, 0)
        }
        assert.deepEqual([opened(), sockets.size], [1, 1])
      },
    )
  })

  await t.test('that is dropped and long closes the connection, and ends the call', () =>
    withEndpoint(
      httpServer((_, res) => res.write('x'.repeat(100_000))),
      async (endpoint, { sockets }) => {
        const answer = await (await call(endpoint, {}, (body) => body.drop())).done
        assert.deepEqual([answer.ends, answer.fault], [1, undefined])
        await until(() => sockets.size === 0)
      },
    ),
  )

  await t.test('beyond a limit is refused, and no longer read', () =>
    withEndpoint(
      httpServer((_, res) => res.write('x'.repeat(100_000))),
      async (endpoint, { sockets }) => {
        const answer = await call(endpoint)
        await assert.rejects(answer.body!.read(1000), { code: 'body_too_large' })
        await until(() => sockets.size === 0)
        assert.equal((await answer.done).ends, 1)
      },
    ),
  )

  await t.test('is not buffered without limit for a paused reader', async () => {
    let sentBytes = 0
    const server = httpServer((_, res) => {
      const chunk = Buffer.alloc(65_536)
      const pump = () => {
        while (sentBytes < 100_000_000) {
          sentBytes += chunk.length
          if (!res.write(chunk)) return void res.once('drain', pump)
        }
        res.end()
      }
      pump()
    })
    await withEndpoint(server, async (endpoint) => {
      let received = 0
      let resume: (() => void) | undefined
      const answer = await call(endpoint, {}, (body) =>
        body.pipe({
          write: (chunk) => ((received += chunk.length), resume !== undefined),
          end: () => undefined,
          fail: () => undefined,
          onDrain: (goOn) => (resume = goOn),
        }),
      )
      let last = -1
      await until(() => resume !== undefined && last === (last = sentBytes), 'a standstill')
      assert.ok(received < 1_000_000, `received ${received}`)
      assert.ok(sentBytes < 20_000_000, `sent ${sentBytes}`)
      resume?.()
      await answer.done
      assert.ok(received >= 100_000_000)
    })
  })
})

test('a stale connection', async (t) => {
  /** Responds to the first request of each connection; the second finds the connection closed. */
  const closesOnSecond = (seen: string[]) =>
    rawServer((socket) => {
      let requests = 0
      let at = 0
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1')
        // A streamed body may arrive separately.
        if (!/^[A-Z]+ /.test(text)) {
          seen[at] = `${seen[at] ?? ''}${text}`
          return
        }
        at = seen.push(text) - 1
        if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        else socket.resetAndDestroy()
      })
    })
  const drop = (body: Body) => body.drop()

  const requests: Record<string, () => Partial<UpstreamRequest>> = {
    'a GET': () => ({}),
    'a POST whose body is at hand': () => ({ method: 'POST', body: new BufferBody('x') }),
    'a POST without a body': () => ({ method: 'POST' }),
    'a POST whose body streams in and is short': () => ({ method: 'POST', body: streamBody(['abc', 'def']) }),
  }
  for (const [what, parts] of Object.entries(requests))
    await t.test(`does not fail ${what}`, async () => {
      const seen: string[] = []
      await withEndpoint(closesOnSecond(seen), async (endpoint, { opened }) => {
        await (
          await call(endpoint, parts(), drop)
        ).done
        await turn()
        const { status, fault } = await (await call(endpoint, parts(), drop)).done
        assert.deepEqual([status, fault], [200, undefined])
        assert.deepEqual([seen.length, opened()], [3, 2])
        if (what.includes('streams'))
          await until(() => (seen[2] ?? '').endsWith('\r\n\r\nabcdef'), 'the whole body')
      })
    })

  await t.test('fails a POST with a long streamed body: it is sent once', async () => {
    const seen: string[] = []
    await withEndpoint(closesOnSecond(seen), async (endpoint) => {
      await (
        await call(endpoint, {}, drop)
      ).done
      await turn()
      const { fault } = await call(endpoint, { method: 'POST', body: streamBody(['x'.repeat(70_000)]) })
      assert.equal(fault?.code, 'upstream_failed')
      assert.equal(seen.filter((text) => text.startsWith('POST')).length, 1)
    })
  })

  await t.test('is not a new connection that closes without a response', async () => {
    let requests = 0
    const server = rawServer((socket) => {
      socket.on('data', () => {
        requests++
        socket.destroy()
      })
    })
    await withEndpoint(server, async (endpoint) => {
      const { fault } = await call(endpoint)
      assert.deepEqual(
        [fault?.status, fault?.code, fault?.message, requests],
        [503, 'upstream_failed', 'upstream call failed: connection closed before the answer was complete', 1],
      )
    })
  })

  await t.test('is not a connection that closes within a response', async () => {
    let requests = 0
    const server = rawServer((socket) => {
      socket.on('data', () => {
        if (++requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        else socket.end('HTTP/1.1 2')
      })
    })
    await withEndpoint(server, async (endpoint) => {
      await (
        await call(endpoint, {}, drop)
      ).done
      await turn()
      const { fault } = await call(endpoint)
      assert.equal(fault?.reason, 'UpstreamFailure')
      assert.equal(requests, 2)
    })
  })
})
