import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { deny, Reply } from '../../../src/model/exchange/reply.ts'
import { readRequestId } from '../../../src/operators/mcp/read-request-id.ts'
import {
  exchange,
  type ExchangeOverrides,
  ManualBody,
  operatorLaws,
  runAsync,
} from '../../../src/testing/index.ts'

const call = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"},"id":12345678901234567890}'
const post = (body: ExchangeOverrides['body'] & {}, headers = {}): ExchangeOverrides => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
})

const heard = (overrides: ExchangeOverrides): Promise<Exchange> =>
  runAsync(readRequestId(), exchange(overrides))
const said = async (x: Exchange, reply: Reply) => {
  const answer = x.protocol.localReplyFormat?.format(reply, x) ?? reply
  return { answer, body: String(await answer.body.read(1e6)) }
}

test('readRequestId obeys the laws of operators', async () => {
  await operatorLaws(readRequestId())
  await operatorLaws(readRequestId(), { exchange: post(call) })
})

test('local replies to MCP requests', async (t) => {
  await t.test('have the id of the request, and keep status and fields', async () => {
    const x = await heard(post(call))
    const headers = { 'retry-after': '7' }
    const { answer, body } = await said(
      x,
      deny(429, 'rate_limited', { message: 'rate limit exceeded', headers }),
    )
    assert.equal(
      body,
      '{"jsonrpc":"2.0","id":12345678901234567890,"error":{"code":-32600,"message":"rate limit exceeded"}}',
    )
    assert.equal(answer.status, 429)
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.equal(answer.headers.get('retry-after'), '7')
    assert.equal(answer.code, 'rate_limited')
    assert.deepEqual(x.protocol.mcp, {
      methodName: 'tools/call',
      error: { code: -32600, message: 'rate limit exceeded' },
    })
  })

  await t.test('use a server error code if the request is not at fault', async () => {
    const x = await heard(post('{"id":"a\\"b","method":"ping"}'))
    const { body } = await said(x, deny(504, 'request_timeout', { message: 'request timeout' }))
    assert.equal(body, '{"jsonrpc":"2.0","id":"a\\"b","error":{"code":-32603,"message":"request timeout"}}')
  })

  const without: Readonly<Record<string, ExchangeOverrides>> = {
    'a request without a message': { method: 'GET' },
    'a notification': post('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    'a response, whose id is the server’s': post('{"jsonrpc":"2.0","id":1,"result":{}}'),
    'a batch': post(`[${call}]`),
    'what is no JSON': post('{"id": nothing'),
    'an id that is none': post('{"method":"a","id":{"b":1}}'),
    'an id that comes after 64 KiB': post(`{"method":"a","params":"${'x'.repeat(70_000)}","id":1}`),
    'what is compressed': post('{"method":"a","id":1}', { 'content-encoding': 'gzip' }),
  }
  for (const [what, overrides] of Object.entries(without))
    await t.test(`have no id for ${what}`, async () => {
      const { body } = await said(await heard(overrides), deny(403, 'no', { message: 'no' }))
      assert.equal(body, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}')
    })

  await t.test('in MCP format are unchanged', async () => {
    const x = await heard(post(call))
    const own = deny(404, 'mcp_session_unknown', { message: 'mcp: session not found', reason: 'MCP' })
    const json = new Headers(['content-type', 'application/json'])
    const challenge = new Reply(401, json, new BufferBody('{"error":"unauthorized"}'), 'JwtAuth', 'c', 'no')
    assert.equal((await said(x, own)).body, 'mcp: session not found')
    assert.equal((await said(x, challenge)).body, '{"error":"unauthorized"}')
    assert.equal(x.protocol.mcp, undefined)
  })
})

test('a message that is inspected for its id', async (t) => {
  await t.test('stays complete when it arrives in chunks', async () => {
    const body = new ManualBody()
    const x = exchange(post(body))
    const running = runAsync(readRequestId(), x)
    body.send(call.slice(0, 20))
    body.send(call.slice(20))
    body.end()
    await running
    assert.equal(String(await x.request.body.read(1e6)), call)
  })

  await t.test('stays complete when it is longer than the inspected prefix', async () => {
    const long = `{"id":7,"method":"a","params":"${'x'.repeat(200_000)}"}`
    const body = new ManualBody()
    const x = exchange(post(body))
    const running = runAsync(readRequestId(), x)
    body.send(long.slice(0, 100_000))
    await running
    const reading = x.request.body.read(1e6)
    body.send(long.slice(100_000))
    body.end()
    assert.equal(String(await reading), long)
    const { body: answer } = await said(x, deny(401, 'no', { message: 'no' }))
    assert.match(answer, /"id":7,/)
  })
})
