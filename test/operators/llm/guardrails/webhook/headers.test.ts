import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../../../src/model/exchange/headers.ts'
import { LlmCall } from '../../../../../src/model/llm/llm-call.ts'
import { Reply } from '../../../../../src/model/exchange/reply.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { fails, gives } from '../../../../support/evaluate.ts'
import {
  type ReceivedCallout,
  webhookClient,
  type More,
  respondWith,
  texts,
  webhook,
} from './webhook-client.ts'

/** The callout for a request, or for a response with these header fields. */
const askedWith = async (
  more: More,
  x: Exchange = exchange(),
  replied?: Readonly<Record<string, string | readonly string[]>>,
): Promise<ReceivedCallout> => {
  await using hook = await webhook(respondWith({}))
  await using guard = webhookClient(hook.port, more)
  if (replied) {
    const kept = guard.guard.keep?.(x)
    x.request.headers = new Headers(['x-late', 'yes'])
    if (x.protocol.llm) x.protocol.llm.request = undefined
    const reply = new Reply(200, Headers.of(replied), new BufferBody('{}'), 'Upstream')
    await guard.check(texts('assistant: hi'), { phase: 'response', kept, reply }, x)
  } else await guard.check(texts('user: hi'), {}, x)
  return hook.received[0] ?? assert.fail('nothing was asked')
}

const valuesOf = ({ headers }: ReceivedCallout, name: string): string[] =>
  headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name)

const llmModel = (x: Exchange) => {
  const request = x.protocol.llm?.request as { readonly model?: string } | undefined
  return request?.model === undefined ? { error: 'no such key' } : { value: request.model }
}

const withModel = (): Exchange => {
  const x = exchange({ headers: { 'x-team': 'blue' } })
  x.protocol.llm = new LlmCall('completions')
  x.protocol.llm.request = { model: 'small' }
  return x
}

test('headers that expressions give', async (t) => {
  await t.test('are sent, as texts or as bytes, in place of those that are there', async () => {
    const asked = await askedWith({
      headers: [
        ['x-user', gives('ann')],
        ['x-bytes', gives(Buffer.from('b'))],
        ['content-type', gives('application/json; v=2')],
      ],
    })
    assert.deepEqual(valuesOf(asked, 'x-user'), ['ann'])
    assert.deepEqual(valuesOf(asked, 'x-bytes'), ['b'])
    assert.deepEqual(valuesOf(asked, 'content-type'), ['application/json; v=2'])
  })

  await t.test('are left out if they fail or give something else, and what was there goes', async () => {
    const x = exchange({ headers: { 'x-a': 'a', 'x-b': 'b', 'x-c': 'c' } })
    const forward = ['x-a', 'x-b', 'x-c'].map((name) => ({ name, value: { regex: '.' } }))
    const headers: More['headers'] = [
      ['x-a', fails()],
      ['x-b', gives(7n)],
    ]
    const asked = await askedWith({ headers, forward }, x)
    assert.deepEqual(valuesOf(asked, 'x-a'), [])
    assert.deepEqual(valuesOf(asked, 'x-b'), [])
    assert.deepEqual(valuesOf(asked, 'x-c'), ['c'])
  })

  await t.test('set path, method and authority', async () => {
    const asked = await askedWith({
      headers: [
        [':path', gives('/v2/check?team=a')],
        [':method', gives('PUT')],
        [':authority', gives('Hooks.test:81')],
      ],
    })
    assert.deepEqual([asked.method, asked.path], ['PUT', '/v2/check?team=a'])
    assert.deepEqual(valuesOf(asked, 'host'), ['hooks.test:81'])
  })

  await t.test('leave path, method and authority alone if they fail or are invalid', async () => {
    for (const value of [fails(), gives(1), gives(''), gives('no path'), gives('a b\u0000')]) {
      const headers = ([':path', ':method', ':authority'] as const).map((name) => [name, value] as const)
      const asked = await askedWith({ headers })
      assert.deepEqual([asked.method, asked.path], ['POST', '/request'])
      assert.match(valuesOf(asked, 'host').join(), /^127\.0\.0\.1:\d+$/)
    }
  })

  await t.test(
    'act on the authority as `host`, and never on scheme, status, length and connection',
    async () => {
      const asked = await askedWith({
        headers: [
          ['host', gives('hooks.test')],
          [':scheme', gives('https')],
          [':status', gives('200')],
          ['content-length', gives('1')],
          ['transfer-encoding', gives('chunked')],
          ['connection', gives('close')],
        ],
      })
      assert.deepEqual(valuesOf(asked, 'host'), ['hooks.test'])
      assert.deepEqual(valuesOf(asked, 'connection'), ['keep-alive'])
      assert.deepEqual(valuesOf(asked, 'transfer-encoding'), [])
      assert.equal(valuesOf(asked, 'content-length').join(), String(asked.body.length))
    },
  )

  await t.test('have the body of the request in the request phase', async () => {
    const asked = await askedWith({ headers: [['x-model', llmModel]] }, withModel())
    assert.deepEqual(valuesOf(asked, 'x-model'), ['small'])
  })

  await t.test('have the request as received, and not its body, in the response phase', async () => {
    const x = withModel()
    const team = (one: Exchange) => ({ value: one.request.headers.get('x-team') ?? 'gone' })
    const headers: More['headers'] = [
      ['x-model', llmModel],
      ['x-team', team],
      [':path', gives('/answers')],
    ]
    const asked = await askedWith({ headers }, x, { 'x-model': 'of the provider' })
    assert.deepEqual(valuesOf(asked, 'x-model'), [])
    assert.deepEqual(valuesOf(asked, 'x-team'), ['blue'])
    assert.equal(asked.path, '/answers')
  })

  await t.test('leave the body of the request where it was', async () => {
    const x = withModel()
    await using hook = await webhook(respondWith({}))
    await using guard = webhookClient(hook.port, { headers: [['x-model', llmModel]] })
    guard.guard.keep?.(x)
    assert.deepEqual(x.protocol.llm?.request, { model: 'small' })
  })
})

test('headers that are forwarded', async (t) => {
  const exact = (name: string, value: string) => ({ name, value: { exact: value } })
  const regex = (name: string, value: string) => ({ name, value: { regex: value } })

  await t.test('are those of the request whose value fits as a whole, with all their values', async () => {
    const headers = { 'x-team': ['blue', 'red'], 'x-plan': 'free-plus', 'x-other': '1', cookie: 'a=b' }
    const forward = [
      exact('x-team', 'blue'),
      regex('x-plan', 'free'),
      regex('x-team', '.*'),
      regex('cookie', '.*'),
    ]
    const asked = await askedWith({ forward }, exchange({ headers }))
    assert.deepEqual(valuesOf(asked, 'x-team'), ['blue', 'red'])
    assert.deepEqual(valuesOf(asked, 'cookie'), ['a=b'])
    for (const name of ['x-plan', 'x-other']) assert.deepEqual(valuesOf(asked, name), [])
  })

  await t.test('are those of the response, and the trace of the request', async () => {
    const headers = { 'x-team': 'blue', traceparent: '00-aa-bb-01' }
    const forward = [regex('x-team', '.*'), regex('x-region', 'eu-.*')]
    const asked = await askedWith({ forward }, exchange({ headers }), { 'x-region': ['eu-1', 'eu-2'] })
    assert.deepEqual(valuesOf(asked, 'x-team'), [])
    assert.deepEqual(valuesOf(asked, 'x-region'), ['eu-1', 'eu-2'])
    assert.deepEqual(valuesOf(asked, 'traceparent'), ['00-aa-bb-01'])
  })

  await t.test('are sent beside the content type, and never describe body and connection', async () => {
    const headers = {
      'content-type': 'text/x',
      'content-length': '5',
      'content-encoding': 'gzip',
      connection: 'close',
      'keep-alive': 'x',
      te: 'trailers',
    }
    const forward = Object.keys(headers).map((name) => regex(name, '.*'))
    const asked = await askedWith({ forward }, exchange({ headers }))
    assert.deepEqual(valuesOf(asked, 'content-type'), ['application/json', 'text/x'])
    assert.equal(valuesOf(asked, 'content-length').join(), String(asked.body.length))
    assert.deepEqual(valuesOf(asked, 'connection'), ['keep-alive'])
    for (const name of ['content-encoding', 'keep-alive', 'te']) assert.deepEqual(valuesOf(asked, name), [])
  })

  await t.test('may be read as text beyond ASCII', async () => {
    const value = Buffer.from('Zoë').toString('latin1')
    const asked = await askedWith(
      { forward: [exact('x-name', 'Zoë')] },
      exchange({ headers: { 'x-name': value } }),
    )
    assert.deepEqual(valuesOf(asked, 'x-name'), [value])
  })
})
