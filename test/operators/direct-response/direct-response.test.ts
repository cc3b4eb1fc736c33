import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import {
  directResponse,
  type DirectResponseOptions,
} from '../../../src/operators/direct-response/direct-response.ts'
import {
  exchange,
  type ExchangeOverrides,
  ManualBody,
  operatorLaws,
  run,
  runAsync,
} from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const answer = (given: Partial<DirectResponseOptions>) =>
  directResponse({ status: 200, headers: [], bufferLimitBytes: 8, ...given })
const replyTo = (given: Partial<DirectResponseOptions>, request: ExchangeOverrides = {}) =>
  run(answer(given), exchange(request)).reply
const textOf = async (given: Partial<DirectResponseOptions>) => String(await replyTo(given)?.body.read(1000))
/** Replies with the request body. */
const echo: Evaluate = Object.assign(
  (x: Parameters<Evaluate>[0]) => ({ value: x.request.body.source() as Uint8Array }),
  { reads: { requestBody: true } },
)

test('directResponse', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(answer({ body: 'ok' }))
    await operatorLaws(answer({ body: gives('ok') }))
    await operatorLaws(answer({ body: echo }), { exchange: { body: 'text' } })
  })

  await t.test('replies with status, text and a content type', async () => {
    const reply = replyTo({ status: 503, body: 'closed' })
    assert.deepEqual(
      [reply?.status, reply?.reason, reply?.headers.raw],
      [503, 'DirectResponse', ['content-type', 'text/plain']],
    )
    assert.equal(await textOf({ body: 'closed' }), 'closed')
  })

  await t.test('replies without a body, and then without a content type', () => {
    const reply = replyTo({ status: 204 })
    assert.deepEqual([reply?.body.lengthBytes, reply?.headers.raw], [0, []])
  })

  await t.test('evaluates headers; those that fail or are not text are left out', () => {
    const headers = [
      ['X-Ok', gives('yes')],
      ['x-bytes', gives(Buffer.from('raw'))],
      ['x-fails', fails()],
      ['x-number', gives(1n)],
      ['content-length', gives('9')],
      ['content-type', gives('text/html')],
    ] as const
    assert.deepEqual(replyTo({ headers, body: '<p>' })?.headers.raw, [
      ...['x-ok', 'yes'],
      ...['x-bytes', 'raw'],
      ...['content-type', 'text/html'],
    ])
  })

  await t.test('evaluates the body: text and bytes unchanged, other values as JSON', async () => {
    assert.equal(await textOf({ body: gives('text') }), 'text')
    assert.equal(await textOf({ body: gives(Buffer.from('bytes')) }), 'bytes')
    assert.equal(
      await textOf({ body: gives(new Map<string, unknown>([['a', [1n, true]]])) }),
      '{"a":[1,true]}',
    )
    assert.equal(replyTo({ body: gives([1n]) })?.headers.get('content-type'), 'application/json')
  })

  await t.test('never replies with an empty body if its expression failed', () => {
    for (const body of [fails(), gives(null), gives(undefined)])
      assert.throws(() => replyTo({ body }), {
        code: 'filter_failed',
        status: 500,
        message: 'failed to apply filters: the body of the direct response could not be evaluated',
      })
  })

  await t.test('replies with a client error if the request body could not be evaluated', () => {
    assert.throws(() => replyTo({ body: fails({ requestBody: true }) }, { body: '{' }), { status: 400 })
  })

  await t.test('buffers the request body if an expression reads it', async () => {
    const body = new ManualBody()
    const answered = runAsync(answer({ body: echo }), exchange({ method: 'POST', body }))
    body.send('he').send('llo').end()
    assert.equal(String(await (await answered).reply?.body.read(100)), 'hello')
  })

  await t.test('refuses a longer request body than expressions may read', async () => {
    const unannounced = runAsync(
      answer({ body: echo }),
      exchange({ body: new ManualBody().send('123456789') }),
    )
    assert.deepEqual(
      [(await unannounced).reply?.status, (await unannounced).reply?.code],
      [413, 'body_too_large'],
    )
    const announced = runAsync(answer({ body: echo }), exchange({ body: new ManualBody(9) }))
    assert.equal((await announced).reply?.status, 413)
  })
})
