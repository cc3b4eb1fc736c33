import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, BufferBody } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { a2a } from '../../../src/operators/a2a/a2a.ts'
import {
  exchange,
  type ExchangeOverrides,
  ManualBody,
  operatorLaws,
  runAsync,
} from '../../../src/testing/index.ts'

const policy = a2a({ bufferLimitBytes: 1000, forwarded: false, proxied: false })
const json = { 'content-type': 'application/json' }
const call = '{"jsonrpc":"2.0","id":"one","method":"message/send","params":{}}'
const task = { id: 't', contextId: 'c', kind: 'task', status: { state: 'completed' } }
const answer = JSON.stringify({ jsonrpc: '2.0', id: 'one', result: task })

/** The exchange after the agent has responded. */
const answered = async (
  overrides: ExchangeOverrides,
  headers: Record<string, string>,
  body: string | Body,
  status = 200,
): Promise<Exchange> => {
  const x = await runAsync(policy.request, exchange(overrides))
  const content = typeof body === 'string' ? new BufferBody(body) : body
  x.reply = new Reply(status, Headers.of(headers), content, 'Upstream')
  return runAsync(policy.reply, x)
}
const factsOf = ({ protocol }: Exchange): object => Object.assign({}, protocol.a2a)
const textOf = async (x: Exchange): Promise<string> => String(await x.reply?.body.read(1e6))

test('a2a obeys the laws of operators', async () => {
  await operatorLaws(policy.request)
  await operatorLaws(policy.request, { exchange: { method: 'POST', headers: json, body: call } })
  await operatorLaws(policy.reply)
})

test('A2A calls', async (t) => {
  const post = { method: 'POST', headers: json, body: call }
  const success = {
    method: 'message/send',
    outcome: 'success',
    errorCode: undefined,
    kind: 'task',
    taskState: 'completed',
    contextId: 'c',
  }

  await t.test('are parsed, and forwarded unchanged', async () => {
    const x = await answered(post, json, answer)
    assert.deepEqual(factsOf(x), success)
    assert.deepEqual([String(await x.request.body.read(100)), await textOf(x)], [call, answer])
  })

  await t.test('are parsed incrementally', async () => {
    const body = new ManualBody()
    const running = runAsync(policy.request, exchange({ ...post, body }))
    body.send(call.slice(0, 20))
    body.send(call.slice(20))
    body.end()
    const x = await running
    assert.equal(x.protocol.a2a?.method, 'message/send')
    assert.equal(String(await x.request.body.read(100)), call)
  })

  await t.test('are parsed up to a limit, however long they are', async () => {
    const body = new ManualBody()
    const running = runAsync(policy.request, exchange({ ...post, body }))
    const file = 'x'.repeat(70_000)
    body.send(`{"method":"SendMessage","id":1,"params":"${file}`)
    const x = await running
    assert.equal(x.protocol.a2a?.method, 'SendMessage')
    const read = x.request.body.read(100_000)
    body.send('"}')
    body.end()
    assert.equal((await read).length, 70_043)
  })

  await t.test('are not parsed if the request is something else', async () => {
    for (const other of [
      { ...post, method: 'GET' },
      { ...post, headers: { 'content-type': 'application/grpc' } },
      { ...post, headers: { ...json, 'content-encoding': 'gzip' } },
      { ...post, body: '{"message":{}}' },
    ]) {
      const x = await answered(other, json, answer)
      assert.deepEqual(
        [x.protocol.a2a?.method, x.protocol.a2a?.outcome, x.protocol.localReplyFormat],
        [undefined, undefined, undefined],
      )
    }
  })

  await t.test('record the last event of a stream', async () => {
    const event = (result: object): string =>
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'one', result })}\r\n\r\n`
    const body = new ManualBody()
    const x = await answered(post, { 'content-type': 'text/event-stream; charset=utf-8' }, body)
    const read = x.reply?.body.read(10_000)
    body.send(event({ task: { id: 't', contextId: 'größe', status: { state: 'TASK_STATE_SUBMITTED' } } }))
    assert.deepEqual([x.protocol.a2a?.kind, x.protocol.a2a?.taskState], ['task', 'TASK_STATE_SUBMITTED'])
    const last = Buffer.from(
      event({ statusUpdate: { contextId: 'größe', status: { state: 'TASK_STATE_COMPLETED' } } }) +
        event({ artifactUpdate: { artifact: {} } }),
    )
    for (const byte of last) body.send(Buffer.of(byte))
    body.end()
    await read
    assert.deepEqual(factsOf(x), {
      ...success,
      kind: 'artifact-update',
      taskState: 'TASK_STATE_COMPLETED',
      contextId: 'größe',
    })
  })

  await t.test('record the beginning of a long response', async () => {
    const body = new ManualBody()
    const x = await answered(post, json, body)
    const read = x.reply?.body.read(1e6)
    body.send(answer.slice(0, -2))
    for (let i = 0; i < 10; i++) body.send(`,"a${i}":"${'x'.repeat(10_000)}"`)
    body.end()
    assert.equal((await read)?.length, answer.length - 2 + 10 * 10_008)
    assert.deepEqual(factsOf(x), success)
  })

  await t.test('record what arrived before a response was aborted', async () => {
    const body = new ManualBody()
    const x = await answered(post, json, body)
    const read = x.reply?.body.read(1000)
    body.send('{"id":1,"error":{"code":-32001,"message":"Task')
    body.fail(new Error('reset'))
    await assert.rejects(read ?? Promise.resolve(), /reset/)
    assert.deepEqual([x.protocol.a2a?.outcome, x.protocol.a2a?.errorCode], ['error', -32001])
  })

  await t.test('get errors with their own id', async () => {
    const x = await runAsync(policy.request, exchange(post))
    const refusal = new Reply(
      429,
      Headers.of({ 'retry-after': '1' }),
      new BufferBody('no'),
      'RateLimit',
      'limited',
      'rate "limit"',
    )
    const said = x.protocol.localReplyFormat?.format(refusal, x)
    assert.deepEqual(
      [said?.status, said?.headers.get('retry-after'), said?.headers.get('content-type'), said?.code],
      [429, '1', 'application/json', 'limited'],
    )
    assert.equal(
      String(await said?.body.read(1000)),
      '{"jsonrpc":"2.0","id":"one","error":{"code":-32600,"message":"rate \\"limit\\""}}',
    )
    assert.deepEqual([x.protocol.a2a?.outcome, x.protocol.a2a?.errorCode], ['error', -32600])
  })
})

test('agent cards', async (t) => {
  const at = { path: '/travel/.well-known/agent-card.json?x=1', authority: 'gateway.test:8080' }
  const card = '{"name":"travel","url":"http://agent:9000/"}'
  const moved = '{"name":"travel","url":"http://gateway.test:8080/travel"}'

  await t.test('have the requested address of the agent', async () => {
    const x = await answered(
      at,
      { ...json, etag: '"a"', 'content-digest': 'sha-256=:x:', 'x-more': '1' },
      card,
    )
    assert.equal(await textOf(x), moved)
    const { headers } = x.reply as Reply
    assert.deepEqual(
      [
        headers.get('content-length'),
        headers.has('etag'),
        headers.has('content-digest'),
        headers.get('x-more'),
      ],
      [String(moved.length), false, false, '1'],
    )
  })

  await t.test('have the requested path, also after a rewrite', async () => {
    const x = exchange(at)
    x.request.path = '/.well-known/agent-card.json'
    x.reply = new Reply(200, Headers.of(json), new BufferBody(card), 'Upstream')
    assert.equal(await textOf(await runAsync(policy.reply, x)), moved)
  })

  await t.test('have the address of trusted proxies, and of no others', async () => {
    const headers = {
      'x-forwarded-host': 'agents.test',
      'x-forwarded-prefix': '/public',
      'x-forwarded-proto': 'https',
    }
    const homeFor = async (options: { forwarded: boolean; proxied: boolean }, scheme: 'http' | 'https') => {
      const x = exchange({ ...at, headers, scheme })
      x.reply = new Reply(200, Headers.of(json), new BufferBody(card), 'Upstream')
      const text = await textOf(await runAsync(a2a({ bufferLimitBytes: 1000, ...options }).reply, x))
      return (JSON.parse(text) as { url: string }).url
    }
    assert.equal(
      await homeFor({ forwarded: true, proxied: true }, 'https'),
      'https://agents.test/public/travel',
    )
    assert.equal(
      await homeFor({ forwarded: false, proxied: false }, 'http'),
      'http://gateway.test:8080/travel',
    )
  })

  await t.test('are requested in full, and uncompressed', async () => {
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': '"a"', range: 'bytes=0-5', accept: '*/*' }
    const { request } = await runAsync(policy.request, exchange({ ...at, headers }))
    assert.deepEqual([...request.headers.entries()].sort(), [
      ['accept', '*/*'],
      ['accept-encoding', 'identity'],
    ])
  })

  await t.test('are refused if they cannot be parsed', async () => {
    const longer = new ManualBody()
    longer.send('x'.repeat(1001))
    for (const [headers, body] of [
      [{ 'content-encoding': 'gzip' }, card],
      [{}, 'x'.repeat(1001)],
      [{}, new ManualBody(1001)],
      [{}, longer],
    ] as const) {
      const { reply } = await answered(at, { ...json, ...headers }, body)
      assert.deepEqual(
        [reply?.status, reply?.code, reply?.reason],
        [502, 'a2a_card_unreadable', 'UpstreamFailure'],
      )
    }
  })

  await t.test('are forwarded unchanged if they are something else', async () => {
    for (const [body, status] of [
      ['<html>', 200],
      ['{"error":"x"}', 200],
      [card, 404],
    ] as const) {
      const x = await answered(at, { ...json, etag: '"a"' }, body, status)
      assert.deepEqual([await textOf(x), x.reply?.headers.get('etag')], [body, '"a"'])
    }
    const elsewhere = await answered({ ...at, path: '/card' }, json, card)
    assert.equal(await textOf(elsewhere), card)
    const posted = await answered({ ...at, method: 'POST' }, json, card)
    assert.equal(await textOf(posted), card)
  })

  await t.test('have no stale length or entity tag in a response to HEAD', async () => {
    const { reply } = await answered(
      { ...at, method: 'HEAD' },
      { ...json, etag: '"a"', 'content-length': '44' },
      '',
    )
    assert.deepEqual([...(reply?.headers.entries() ?? [])], [['content-type', 'application/json']])
  })
})
