import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import { type Body, BufferBody } from '../../../src/model/exchange/body.ts'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import { deny } from '../../../src/model/exchange/reply.ts'
import type { CompiledTransformation } from '../../../src/operators/transformations/header-steps.ts'
import { transform } from '../../../src/operators/transformations/transformations.ts'
import { onRequest, type Operator } from '../../../src/pipeline/stage.ts'
import {
  fakeUpstream,
  exchange,
  type ExchangeOverrides,
  ManualBody,
  operatorLaws,
  run,
  runAsync,
  TraceRecorder,
} from '../../../src/testing/index.ts'
import { bareSnapshot } from '../../../src/testing/bare-snapshot.ts'
import { fails, gives } from '../../support/evaluate.ts'

const none: CompiledTransformation = { metadata: [], add: [], set: [], remove: [] }
const onRequests = (given: Partial<CompiledTransformation>) =>
  transform({ request: { ...none, ...given }, bufferLimitBytes: 16 }).request
const onReplies = (given: Partial<CompiledTransformation>) =>
  transform({ response: { ...none, ...given }, bufferLimitBytes: 16 }).reply
const requestAfter = (given: Partial<CompiledTransformation>, from: ExchangeOverrides = {}) =>
  run(onRequests(given), exchange(from)).request
const replyAfter = (
  given: Partial<CompiledTransformation>,
  upstream: Operator,
  from: ExchangeOverrides = {},
) => run(pipe(upstream, onReplies(given)), exchange(from)).reply

const textIn = (body: Body | undefined) => (body instanceof BufferBody ? String(body.bytes) : 'not in memory')

/** The request body in capitals. */
const loud: Evaluate = Object.assign(
  ({ request }: Parameters<Evaluate>[0]) => ({
    value: textIn(request.body).toUpperCase(),
  }),
  { reads: { requestBody: true } },
)
/** The reply body in capitals. */
const loudReply: Evaluate = Object.assign(
  ({ reply }: Parameters<Evaluate>[0]) => ({
    value: textIn(reply?.body).toUpperCase(),
  }),
  { reads: { replyBody: true } },
)

test('transformations of requests', async (t) => {
  await t.test('obey the laws of operators', () => operatorLaws(onRequests({ set: [['x-a', gives('1')]] })))

  await t.test('run in the order metadata, replace, add, set, remove', () => {
    const readsMetadata: Evaluate = (x) => ({ value: String(x.policy.metadata?.who) })
    const { headers } = requestAfter(
      {
        metadata: [
          ['who', gives('me')],
          ['gone', fails()],
        ],
        replace: gives(new Map([['x-a', '1']])),
        add: [['x-a', readsMetadata]],
        set: [['x-b', gives('3')]],
        remove: ['X-C'],
      },
      { headers: { 'x-old': '1', 'x-c': '1' } },
    )
    assert.deepEqual(headers.raw, ['x-a', '1', 'x-a', 'me', 'x-b', '3'])
  })

  await t.test('remove a header if its expression fails or is not text', () => {
    const headers = { 'x-a': '1', 'x-b': '1', 'x-c': '1', 'x-d': '1', 'x-e': '1' }
    const { headers: after } = requestAfter(
      {
        set: [
          ['x-a', fails()],
          ['x-b', gives(5n)],
          ['x-c', gives(null)],
          ['x-d', gives(Buffer.from('bytes'))],
        ],
        add: [['x-e', fails()]],
      },
      { headers },
    )
    assert.deepEqual(after.raw, ['x-d', 'bytes'])
  })

  await t.test('set method, path, authority and scheme to valid values', () => {
    const request = requestAfter(
      {
        set: [
          [':method', gives('PUT')],
          [':path', gives('/a/../b?q=1')],
          [':authority', gives('Other.test:81')],
          [':scheme', gives('https')],
        ],
      },
      { headers: { host: 'gateway.test' } },
    )
    assert.deepEqual(
      [
        request.method,
        request.path,
        request.query,
        request.authority,
        request.headers.get('host'),
        request.scheme,
      ],
      ['PUT', '/b', '?q=1', 'other.test:81', 'other.test:81', 'https'],
    )
  })

  await t.test('ignore invalid values for them', () => {
    const request = requestAfter(
      {
        set: [
          [':method', gives('GET /evil')],
          [':method', gives('CONNECT')],
          [':path', gives('no-slash')],
          [':path', gives('/a%2fb')],
          [':path', fails()],
          ['host', gives('a b')],
          [':scheme', gives('gopher')],
        ],
        remove: [':path', 'host'],
      },
      { path: '/a?q', headers: { host: 'gateway.test' } },
    )
    assert.deepEqual(
      [request.method, request.target, request.authority, request.headers.raw, request.scheme],
      ['GET', '/a?q', 'gateway.test', ['host', 'gateway.test'], 'http'],
    )
  })

  await t.test('parse a path like paths of clients', () => {
    const { frontend } = bareSnapshot.resources
    const http = { ...frontend.http, path: { encodedSlashes: 'keep', mergeSlashes: true } as const }
    const snapshot = {
      ...bareSnapshot,
      resources: { ...bareSnapshot.resources, frontend: { ...frontend, http } },
    }
    const pathAfter = (path: string) => requestAfter({ set: [[':path', gives(path)]] }, { snapshot }).target
    assert.equal(pathAfter('/a%2fb//c?d'), '/a%2Fb/c?d')
    assert.equal(pathAfter('/a%2f..%2fb'), '/')
  })

  await t.test('keep framing fields when all headers are replaced', () => {
    const replacement = new Map<string, unknown>([
      ['x-list', ['1', '2', 3n]],
      ['X-One', 'one'],
      ['content-length', '99'],
      [':path', '/new'],
    ])
    const request = requestAfter(
      { replace: gives(replacement), set: [['content-length', gives('99')]], remove: ['content-length'] },
      { headers: { host: 'gateway.test', 'content-length': '4', 'x-old': '1' }, body: 'text' },
    )
    assert.deepEqual(request.headers.raw, [
      ...['host', 'gateway.test', 'content-length', '4'],
      ...['x-list', '1', 'x-list', '2', 'x-one', 'one'],
    ])
    assert.equal(request.path, '/new')
  })

  await t.test('fail if all headers are to be replaced and the expression fails', () => {
    for (const replace of [fails(), gives('text'), gives(null)])
      assert.throws(() => requestAfter({ replace }), {
        code: 'filter_failed',
        status: 500,
        message: 'failed to apply filters: the request headers could not be replaced',
      })
  })

  await t.test('replace the body and its length', () => {
    const headers = { 'content-length': '3', 'content-encoding': 'gzip' }
    const request = requestAfter({ body: gives('longer') }, { body: 'old', headers })
    assert.deepEqual(request.headers.raw, ['content-length', '6'])
    assert.equal(textIn(request.body), 'longer')
  })

  await t.test('treat bytes as encoded like the body was', () => {
    const headers = { 'content-encoding': 'gzip' }
    const request = requestAfter({ body: gives(Buffer.from('gzip?')) }, { body: 'old', headers })
    assert.equal(request.headers.get('content-encoding'), 'gzip')
  })

  await t.test('discard a body that is not read', () => {
    const body = new ManualBody()
    requestAfter({ body: gives('other') }, { body })
    assert.ok(body.dropped)
  })

  await t.test('buffer the body if an expression reads it', async () => {
    const body = new ManualBody()
    const transformed = runAsync(onRequests({ body: loud }), exchange({ body }))
    body.send('he').send('llo').end()
    assert.equal(String(await (await transformed).request.body.read(9)), 'HELLO')
  })

  await t.test('refuse a longer body than expressions may read', async () => {
    const body = new ManualBody().send('12345678').send('901234567')
    assert.equal((await runAsync(onRequests({ body: loud }), exchange({ body }))).reply?.status, 413)
  })

  await t.test('never send an empty body upstream if its expression failed', () => {
    const of = (reads: Evaluate['reads']) => () => requestAfter({ body: fails(reads) }, { body: '{' })
    assert.throws(of({ requestBody: true }), { code: 'filter_failed', status: 400 })
    assert.throws(of({}), { code: 'filter_failed', status: 500 })
  })

  await t.test('keep the request body for expressions of the response', async () => {
    const { request, reply } = transform({ response: { ...none, body: loud }, bufferLimitBytes: 16 })
    const body = new ManualBody().send('echo').end()
    const x = await runAsync(pipe(request, fakeUpstream(200), reply), exchange({ body }))
    assert.equal(String(await x.reply?.body.read(9)), 'ECHO')
  })

  await t.test('are traced', () => {
    const trace = new TraceRecorder()
    run(onRequests({}), exchange({ trace }))
    assert.deepEqual(trace.snapshots, ['transformation'])
  })
})

test('transformations of replies', async (t) => {
  await t.test('obey the laws of operators', () => operatorLaws(onReplies({ set: [['x-a', gives('1')]] })))

  await t.test('change headers and status', () => {
    const reply = replyAfter(
      {
        set: [
          [':status', gives(201n)],
          ['x-a', gives('1')],
        ],
        remove: ['server'],
      },
      fakeUpstream(200, { server: 'x' }),
    )
    assert.deepEqual([reply?.status, reply?.headers.raw], [201, ['x-a', '1']])
  })

  await t.test('ignore an invalid status', () => {
    for (const status of [101n, 600n, 200.5, '201', null])
      assert.equal(replyAfter({ set: [[':status', gives(status)]] }, fakeUpstream(200))?.status, 200)
  })

  await t.test('apply to refusals', () => {
    const refuse = onRequest('refuse', () => deny(403, 'no'))
    assert.equal(replyAfter({ set: [['x-a', gives('1')]] }, refuse)?.headers.get('x-a'), '1')
  })

  await t.test('replace the body, its length and its encoding', () => {
    const headers = { 'content-length': '3', 'content-encoding': 'gzip' }
    const reply = replyAfter({ body: gives(new Map([['a', 1n]])) }, fakeUpstream(200, headers, 'old'))
    assert.deepEqual(reply?.headers.raw, ['content-length', '7', 'content-type', 'application/json'])
    assert.equal(textIn(reply.body), '{"a":1}')
  })

  await t.test('buffer the body if an expression reads it', async () => {
    const body = new ManualBody().send('he').send('llo').end()
    const x = await runAsync(pipe(fakeUpstream(200, {}, body), onReplies({ body: loudReply })), exchange())
    assert.equal(String(await x.reply?.body.read(9)), 'HELLO')
  })

  await t.test('reply 502 to a longer body than expressions may read', async () => {
    const body = new ManualBody().send('12345678').send('901234567')
    const x = await runAsync(pipe(fakeUpstream(200, {}, body), onReplies({ body: loudReply })), exchange())
    assert.deepEqual([x.reply?.status, x.reply?.code], [502, 'reply_too_large'])
  })

  await t.test('refuse with a reply, which later stages get, if body or headers fail', async () => {
    for (const given of [{ body: fails() }, { replace: fails() }]) {
      const body = new ManualBody()
      const reply = replyAfter(given, fakeUpstream(200, {}, body))
      assert.deepEqual([reply?.status, reply?.code, body.dropped], [500, 'filter_failed', true])
      assert.match(
        String(await reply?.body.read(100)),
        /^failed to apply filters: the response (body|headers) could not/,
      )
    }
  })

  await t.test('keep a refusal if body or headers fail', async () => {
    const refuse = onRequest('refuse', () => deny(401, 'no_token', { message: 'no token' }))
    const reply = replyAfter({ body: fails(), replace: fails() }, refuse)
    assert.deepEqual([reply?.status, String(await reply?.body.read(100))], [401, 'no token'])
  })

  await t.test('add no body to a reply to HEAD, and no unknown length', () => {
    const upstream = fakeUpstream(200, { 'content-length': '3' })
    const reply = replyAfter({ body: gives('longer') }, upstream, { method: 'HEAD' })
    assert.deepEqual([reply?.headers.raw, reply?.body.lengthBytes], [[], 0])
  })
})
