import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, emptyBody } from '../../src/model/body.ts'
import { callHttp } from '../../src/upstream/http.ts'
import { Endpoint } from '../../src/upstream/endpoint.ts'
import { defaultUpstreamSettings } from '../../src/upstream/registry.ts'
import { AnswerRecorder } from '../support/answer-recorder.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

const endpointOf = ({ port }: { port: number }) =>
  new Endpoint(
    { ip: '127.0.0.1', port },
    { ...defaultUpstreamSettings, poolMaxSize: undefined, tls: undefined, protocol: 'auto' },
  )

const get = { method: 'GET', target: '/', headers: ['host', 'up.test'], body: emptyBody }

const using = async (
  server: UpstreamServer,
  act: (endpoint: Endpoint, server: UpstreamServer) => Promise<void>,
): Promise<void> => {
  const endpoint = endpointOf(server)
  try {
    await act(endpoint, server)
  } finally {
    await endpoint.destroy()
    await server[Symbol.asyncDispose]()
  }
}

const readAll = async (body: Body | undefined): Promise<string> => String(await body?.read(1_000_000))

test('a call over HTTP/1.1', async (t) => {
  await t.test('passes head and body on, and ends once', async () => {
    const server = await httpServer((req, res) => {
      res.setHeader('x-seen', `${req.method ?? ''} ${req.url ?? ''} ${req.headers.host ?? ''}`)
      res.end('hello')
    })
    await using(server, async ({ pool }) => {
      const answer = new AnswerRecorder()
      callHttp(pool, { ...get, target: '/a?b=c' }, answer)
      await answer.answered
      assert.equal(answer.status, 200)
      assert.equal(answer.headers[answer.headers.indexOf('x-seen') + 1], 'GET /a?b=c up.test')
      assert.equal(await readAll(answer.body), 'hello')
      await answer.done
      assert.deepEqual([answer.ends, answer.fault], [1, undefined])
    })
  })
})
