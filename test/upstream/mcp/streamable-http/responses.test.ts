import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { logLine, ping, resultOf } from '../../../support/mcp/messages.ts'
import {
  respondEvents,
  respondJson,
  type Script,
  startScripted,
} from '../../../support/mcp/scripted-server.ts'

const answering: Script = ({ body }, response) => respondJson(response, resultOf(body.id))

test('responses over streamable HTTP', async (t) => {
  await t.test('arrive as one message, or in a batch with others', async () => {
    await using server = await startScripted(({ body }, response) =>
      respondJson(
        response,
        body.method === 'ping' ? resultOf(body.id) : [logLine('a'), resultOf(body.id, { batch: 1 })],
      ),
    )
    const { call } = openStreamable(server)
    assert.deepEqual((await call(ping).over).outcome, { result: { ok: true } })
    const batched = await call({ method: 'other' }).over
    assert.deepEqual([batched.outcome, batched.messages], [{ result: { batch: 1 } }, [logLine('a')]])
  })

  await t.test('arrive as a stream, after messages that belong to the call', async () => {
    const asked = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Who?' } }
    await using server = await startScripted(({ body }, response) => {
      respondEvents(
        response,
        ': hello',
        logLine('a'),
        asked,
        'event: ping\ndata: {}',
        resultOf(body.id),
        logLine('late'),
      )
      response.end()
    })
    const { call } = openStreamable(server)
    const recorder = await call(ping).over
    assert.deepEqual([recorder.outcome, recorder.messages], [{ result: { ok: true } }, [logLine('a'), asked]])
  })

  await t.test('create no fault for a completed call', async () => {
    await using server = await startScripted(answering)
    const { call } = openStreamable(server)
    using faults = countFaults()
    await call(ping).over
    assert.equal(faults.count, 0)
    assert.equal((await openStreamable({ origin: 'http://127.0.0.1:1' }).call(ping).over).fault?.status, 503)
    assert.notEqual(faults.count, 0)
  })

  await t.test('leave the connection to the next call', async () => {
    const ended = Promise.withResolvers<undefined>()
    await using server = await startScripted(({ body }, response) => {
      respondEvents(response, resultOf(body.id))
      response.on('close', () => ended.resolve(undefined))
      setImmediate(() => response.end())
    })
    const { call } = openStreamable(server)
    await call(ping).over
    await ended.promise
    // The client has to receive the end, too.
    await new Promise(setImmediate)
    await call(ping).over
    assert.equal(server.connections, 1)
  })

  await t.test('count once, and only for the call of their id', async () => {
    await using server = await startScripted(({ body }, response) => {
      respondEvents(
        response,
        resultOf(99),
        resultOf(String(body.id)),
        'data: {"half":',
        resultOf(body.id),
        resultOf(body.id, {}),
      )
      response.end()
    })
    const { wire: transport, call } = openStreamable(server)
    const recorder = await call(ping).over
    assert.deepEqual([recorder.outcome, recorder.ends, transport.skipped], [{ result: { ok: true } }, 1, 3])
  })

  await t.test('may be an error without an id, if there is no other call', async () => {
    const error = { code: -32_700, message: 'Parse error' }
    await using server = await startScripted((_, response) =>
      respondJson(response, { jsonrpc: '2.0', id: null, error }),
    )
    assert.deepEqual((await openStreamable(server).call(ping).over).outcome, { error })
  })

  for (const [what, status, headers, body, expected] of [
    ['not JSON', 200, { 'content-type': 'application/json' }, '{"jsonrpc":', 'something else for the answer'],
    ['no message', 200, { 'content-type': 'application/json' }, '[]', 'something else for the answer'],
    [
      'for another call',
      200,
      { 'content-type': 'application/json' },
      JSON.stringify(resultOf(2)),
      'something else',
    ],
    [
      'an invalid response',
      200,
      { 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":1,"result":1}',
      'is none',
    ],
    [
      'an invalid response in a stream',
      200,
      { 'content-type': 'text/event-stream' },
      'data: {"id":1,"result":{}}\n\n',
      'is none',
    ],
    ['a page', 200, { 'content-type': 'text/html' }, '<p>', 'answered with text/html instead'],
    [
      'packed',
      200,
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      'x',
      'answered with gzip',
    ],
    ['nothing', 202, {}, '', 'answered with status 202 and nothing'],
  ] as const)
    await t.test(`fail the call if they are ${what}`, async () => {
      await using server = await startScripted((_, response) => response.writeHead(status, headers).end(body))
      const { fault } = await openStreamable(server).call(ping).over
      assert.deepEqual([fault?.code, fault?.status], ['mcp_server_malformed', 502])
      assert.ok(fault?.message.includes(expected), fault?.message)
    })

  for (const type of ['application/json', 'text/event-stream'])
    await t.test(
      `fail the call if they are beyond the limit (${type}), however long they go on`,
      async () => {
        await using server = await startScripted((_, response) => {
          response.writeHead(200, { 'content-type': type }).write('data: ')
          const more = () => {
            if (!response.destroyed) response.write('x'.repeat(1_000), () => setImmediate(more))
          }
          more()
        })
        const { fault } = await openStreamable(server).call(ping).over
        assert.deepEqual(
          [fault?.code, fault?.status, fault?.message],
          ['mcp_message_too_large', 502, 'mcp: target one sent a message beyond the limit of 4096 bytes'],
        )
        await server.requests[0]!.gone
      },
    )

  await t.test('fail the call with the error if the server is unreachable', async () => {
    const server = await startScripted(answering)
    await server[Symbol.asyncDispose]()
    assert.equal((await openStreamable(server).call(ping).over).fault?.code, 'upstream_failed')
  })
})

/** Counts created faults: stack traces are disabled for each. */
const countFaults = (): Disposable & { readonly count: number } => {
  const before = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit') ?? {}
  let count = 0
  let limit: unknown = before.value
  Object.defineProperty(Error, 'stackTraceLimit', {
    configurable: true,
    get: () => limit,
    set: (value: unknown) => {
      limit = value
      if (value === 0) count++
    },
  })
  return {
    get count() {
      return count
    },
    [Symbol.dispose]: () => Object.defineProperty(Error, 'stackTraceLimit', before),
  }
}
