import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type Body, BufferBody, emptyBody } from '../../../src/model/exchange/body.ts'
import { BufferedBody } from '../../../src/operators/body/buffered-body.ts'
import type { UpstreamRequest } from '../../../src/upstream/call.ts'
import type { Endpoint } from '../../../src/upstream/load-balancing/endpoint.ts'
import { callNodeHttp } from '../../../src/upstream/http/http1-node.ts'
import { UpstreamRecorder } from '../../support/upstream-recorder.ts'
import { withEndpoint } from '../../support/endpoints.ts'
import { streamBody, until } from '../../support/stream-body.ts'
import { httpServer, rawResponse, rawServer } from '../../support/upstream-servers.ts'

const call = async (
  { agent }: Endpoint,
  parts: Partial<UpstreamRequest>,
  take?: (body: Body) => void,
): Promise<UpstreamRecorder> => {
  const answer = new UpstreamRecorder(take)
  const request = { method: 'POST', target: '/', headers: ['host', 'up.test'], body: emptyBody, ...parts }
  callNodeHttp(agent, request, answer)
  return answer.responded
}

const text = async (answer: UpstreamRecorder): Promise<string> => String(await answer.body?.read(1_000_000))

const turn = () => new Promise((resolve) => setTimeout(resolve, 5))

test('a call that undici does not support', async (t) => {
  await t.test('sends trailers after the body, whatever length was declared', () =>
    withEndpoint(
      httpServer((req, res) => {
        req.resume().on('end', () => {
          res.end(
            `${req.headers['transfer-encoding'] ?? ''} ${req.headers['content-length'] ?? 'none'} ${JSON.stringify(req.trailers)}`,
          )
        })
      }),
      async (endpoint) => {
        const answer = await call(endpoint, {
          headers: ['host', 'up.test', 'content-length', '4'],
          body: new BufferedBody(Buffer.from('data'), ['x-sum', '7']),
        })
        assert.equal(await text(answer), 'chunked none {"x-sum":"7"}')
        assert.equal((await answer.done).ends, 1)
      },
    ),
  )

  await t.test('sends OPTIONS *', () =>
    withEndpoint(
      httpServer((req, res) => res.end(`${req.method ?? ''} ${req.url ?? ''}`)),
      async (endpoint) => {
        const answer = await call(endpoint, { method: 'OPTIONS', target: '*' })
        assert.equal(await text(answer), 'OPTIONS *')
      },
    ),
  )

  await t.test('forwards informational responses and trailers', () =>
    withEndpoint(
      rawResponse(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n',
      ),
      async (endpoint) => {
        const answer = await call(endpoint, {})
        assert.deepEqual(answer.infos, [{ status: 103, headers: ['link', '</a>'] }])
        assert.equal(await text(answer), 'hi')
        assert.deepEqual((await answer.done).trailers, ['x-sum', '1'])
      },
    ),
  )

  await t.test('keeps its connection, and does not detect when that is stale', () => {
    let requests = 0
    return withEndpoint(
      rawServer((socket) => {
        let answered = 0
        socket.on('data', () => {
          requests++
          if (++answered === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
          else socket.resetAndDestroy()
        })
      }),
      async (endpoint, { opened }) => {
        const drop = (body: Body) => body.drop()
        await (
          await call(endpoint, {}, drop)
        ).done
        await turn()
        const again = await (await call(endpoint, { body: new BufferBody('x') }, drop)).done
        assert.equal(again.status, 200)
        assert.ok(requests >= 3)
        assert.equal(opened(), 2)
      },
    )
  })

  for (const [what, bytes] of Object.entries({
    'the status 99': 'HTTP/1.1 99 Low\r\ncontent-length: 0\r\n\r\n',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'an unknown transfer coding': 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nabc',
    'a switch of protocols that was not requested':
      'HTTP/1.1 101 OK\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  }))
    await t.test(`replies 502 to ${what}`, () =>
      withEndpoint(rawResponse(bytes), async (endpoint, { sockets }) => {
        const { fault } = await call(endpoint, {})
        assert.deepEqual([fault?.status, fault?.code], [502, 'upstream_malformed'])
        await until(() => sockets.size === 0)
      }),
    )

  await t.test('explains that the connection was refused', () =>
    withEndpoint(
      httpServer(() => undefined),
      async (endpoint, server) => {
        await server[Symbol.asyncDispose]()
        const { fault } = await call(endpoint, {})
        assert.deepEqual(
          [fault?.status, fault?.code, fault?.message],
          [503, 'upstream_connect', 'upstream call failed: connection refused'],
        )
      },
    ),
  )

  await t.test('aborts the connection when the body of the request is aborted', async () => {
    let received = ''
    const server = rawServer((socket) => socket.on('data', (chunk) => (received += chunk.toString('latin1'))))
    await withEndpoint(server, async (endpoint, { sockets }) => {
      const stream = new Readable({ read: () => undefined })
      const answer = new UpstreamRecorder()
      const request = { method: 'POST', target: '/', headers: ['host', 'a'], body: streamBody(stream) }
      callNodeHttp(endpoint.agent, request, answer)
      stream.push('first')
      await until(() => received.includes('first'))
      stream.destroy(new Error('the client has left'))
      await until(() => sockets.size === 0)
      assert.doesNotMatch(received, /\r\n0\r\n/)
      assert.equal(answer.fault?.code, 'request_body_broken')
    })
  })

  await t.test('aborts the connection when it is cancelled', () =>
    withEndpoint(
      rawServer((socket) => socket.on('data', () => undefined)),
      async (endpoint, { sockets }) => {
        const answer = new UpstreamRecorder()
        const request = { method: 'OPTIONS', target: '*', headers: ['host', 'a'], body: emptyBody }
        const running = callNodeHttp(endpoint.agent, request, answer)
        await until(() => sockets.size === 1)
        running.abort()
        await until(() => sockets.size === 0)
        assert.equal(answer.fault, undefined)
      },
    ),
  )

  await t.test('closes its idle connections when its endpoint is closed', () =>
    withEndpoint(
      httpServer((_, res) => res.end('x')),
      async (endpoint, { sockets }) => {
        assert.equal(await text(await call(endpoint, {})), 'x')
        assert.equal(sockets.size, 1)
        await turn()
        await endpoint.close()
        await until(() => sockets.size === 0)
      },
    ),
  )

  await t.test('fails on a response that is shorter than declared', () =>
    withEndpoint(rawResponse('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', true), async (endpoint) => {
      const answer = await call(endpoint, {})
      await assert.rejects(answer.body!.read(100), { code: 'upstream_failed' })
      assert.equal((await answer.done).ends, 0)
    }),
  )
})
