import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import { Dependencies } from '../../../../src/upstream/dependency-status.ts'
import { RemoteOpenApiTools } from '../../../../src/upstream/mcp/openapi/remote-document.ts'
import { OpenApiTransport } from '../../../../src/upstream/mcp/openapi/transport.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { TransportRecorder } from '../../../support/mcp/transport-recorder.ts'
import { startUpstream } from '../../../support/upstream.ts'

const documentWith = (operationId: string) => ({
  openapi: '3.1.0',
  servers: [{ url: '/v2' }],
  paths: { '/a': { get: { operationId } } },
})

/** A server of documents, and its tools. */
const startRemote = async (
  answer: (res: ServerResponse, req: IncomingMessage, times: number) => void,
  retryMs = 0,
) => {
  let times = 0
  const upstream = await startUpstream((req, res) => answer(res, req, ++times))
  const dependencies = new Dependencies()
  const url = `http://${upstream.host}/openapi`
  const tools = new RemoteOpenApiTools({ url, report: dependencies.add('document', false), retryMs })
  return {
    origin: `http://${upstream.host}`,
    tools,
    dependencies,
    times: () => times,
    async [Symbol.asyncDispose]() {
      await tools.close()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

const recorded = async (
  transport: OpenApiTransport,
  method: string,
  params: object = {},
  origin = 'http://127.0.0.1:1',
) => {
  const recorder = new TransportRecorder()
  transport.call({ method, params: { ...params } }, requestContextTo(origin), recorder)
  return recorder.over
}

test('the tools of a remote document', async (t) => {
  await t.test('are fetched on demand, once for concurrent requests', async () => {
    await using remote = await startRemote((res) => res.end(JSON.stringify(documentWith('first'))))
    assert.equal(remote.times(), 0)
    const all = await Promise.all([remote.tools.current(), remote.tools.current()])
    assert.equal(all[0], all[1])
    assert.equal(remote.tools.current(), all[0])
    assert.ok(all[0].find('first'))
    assert.equal(remote.times(), 1)
    assert.equal(remote.dependencies.statuses[0]?.state, 'ready')
  })

  await t.test('may be YAML', async () => {
    await using remote = await startRemote((res) =>
      res.end('openapi: 3.0.0\npaths: { /a: { get: { operationId: fromYaml } } }'),
    )
    assert.ok((await remote.tools.current()).find('fromYaml'))
  })

  await t.test('are unavailable without a valid document; later they may be available', async () => {
    const answers = ['no document at all: {', '{"swagger":"2.0"}', JSON.stringify(documentWith('atLast'))]
    await using remote = await startRemote((res, _, times) => {
      if (times === 1) res.writeHead(404)
      res.end(answers[times - 2])
    })
    const errors: unknown[] = []
    for (let i = 0; i < 3; i++) {
      await assert.rejects(async () => remote.tools.current(), {
        code: 'mcp_openapi_unavailable',
        status: 503,
      })
      errors.push(remote.dependencies.statuses[0]?.error)
    }
    assert.equal(errors[0], 'it answered with status 404')
    assert.match(String(errors[2]), /^the document is of Swagger "2\.0"/)
    assert.ok((await remote.tools.current()).find('atLast'))
  })

  const hostile: readonly (readonly [what: string, text: string, reason: RegExp])[] = [
    [
      'has an anchor that contains itself',
      'openapi: 3.0.0\npaths: &a { /a: *a }',
      /^line 2, column 17: \*a contains itself$/,
    ],
    ['is nested too deeply', `a: ${'['.repeat(200)}`, /^line 1, column 1: nested too deeply$/],
    ['is nested too deeply line by line', `${'- '.repeat(200)}a`, /nested too deeply$/],
    [
      'stands for too much',
      [
        'l: &l-1 [1]',
        ...Array.from({ length: 9 }, (_, i) => `l${i}: &l${i} [${`*l${i - 1}, `.repeat(9)}]`),
      ].join('\n'),
      /aliases that stand for too much$/,
    ],
    [
      'is more YAML than can be read in passing',
      `#${'x'.repeat(8_388_608)}`,
      /longer than 8388608 characters/,
    ],
    ['is longer than anything may be', ' '.repeat(33_554_433), /^its answer is longer than 33554432 bytes$/],
  ]
  for (const [what, text, reason] of hostile)
    await t.test(`are unavailable with a document that ${what}`, async () => {
      await using remote = await startRemote((res) => res.end(text))
      await assert.rejects(async () => remote.tools.current(), { code: 'mcp_openapi_unavailable' })
      assert.match(String(remote.dependencies.statuses[0]?.error), reason)
    })

  await t.test('are not fetched again for a while after a failure', async () => {
    await using remote = await startRemote((res) => res.writeHead(500).end(), 60_000)
    for (let i = 0; i < 3; i++)
      await assert.rejects(
        async () => remote.tools.current(),
        (error) => error instanceof Fault,
      )
    assert.equal(remote.times(), 1)
  })

  await t.test(
    'are available to a transport, which waits for them, with the path of the document',
    async () => {
      await using remote = await startRemote((res, req) =>
        res.end(
          req.url === '/openapi' ? JSON.stringify(documentWith('late')) : JSON.stringify({ url: req.url }),
        ),
      )
      const transport = new OpenApiTransport('late', { prefix: '', tools: remote.tools })
      const { outcome } = await recorded(transport, 'tools/call', { name: 'late' }, remote.origin)
      assert.deepEqual(outcome, {
        result: { content: [{ type: 'text', text: '{"url":"/v2/a"}' }], structuredContent: { url: '/v2/a' } },
      })
    },
  )

  await t.test('fail the calls of a transport if they are unavailable', async () => {
    await using remote = await startRemote((res) => res.writeHead(500).end())
    const transport = new OpenApiTransport('never', { prefix: '', tools: remote.tools })
    assert.equal((await recorded(transport, 'tools/list')).fault?.code, 'mcp_openapi_unavailable')
  })

  await t.test('have no effect on calls that were cancelled or closed during the fetch', async () => {
    const held: ServerResponse[] = []
    const asked = Promise.withResolvers<undefined>()
    await using remote = await startRemote((res) => {
      held.push(res)
      asked.resolve(undefined)
    })
    const transport = new OpenApiTransport('slow', { prefix: '', tools: remote.tools })
    const cancelled = new TransportRecorder()
    const closed = new TransportRecorder()
    const cancel = transport.call({ method: 'ping' }, requestContextTo(remote.origin), cancelled)
    transport.call({ method: 'ping' }, requestContextTo(remote.origin), closed)
    await asked.promise
    cancel()
    transport.close()
    assert.equal((await closed.over).fault?.code, 'mcp_session_closed')
    held[0]?.end(JSON.stringify(documentWith('slow')))
    await remote.tools.current()
    await new Promise(setImmediate)
    assert.deepEqual([cancelled.ends, closed.ends], [0, 1])
  })
})
