import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, BufferBody } from '../../../src/model/exchange/body.ts'
import type { BodiesRead, Evaluate } from '../../../src/model/exchange/expression.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import {
  bodiesReadBy,
  combinedBufferNeed,
  type BufferedBodies,
  withBufferedBodies,
} from '../../../src/operators/body/buffer-body.ts'
import { exchange, ManualBody } from '../../../src/testing/index.ts'

const reading = (reads: BodiesRead): Evaluate => Object.assign(() => ({ value: true }), { reads })

/** Runs a stage that reads bodies, with a limit of four bytes; returns the refusal, if any. */
const decided = async (held: BufferedBodies, x: Exchange): Promise<number | undefined> => {
  const verdict = await withBufferedBodies(held, 4, () => undefined)(x)
  return verdict?.status
}

const replied = (body: Body, headers: string[] = []): Exchange =>
  exchange({ reply: new Reply(200, new Headers(headers), body, 'Upstream') })

const readText = async (body: Body | undefined) => String(await body?.read(100))

test('buffering for expressions', () => {
  assert.deepEqual(bodiesReadBy([undefined, reading({})]), { request: false, reply: false })
  assert.deepEqual(bodiesReadBy([reading({ requestBodyPrefix: true })]), { request: 'prefix', reply: false })
  assert.deepEqual(bodiesReadBy([reading({ replyBodyPrefix: true }), reading({ requestBody: true })]), {
    request: true,
    reply: 'prefix',
  })
  // A reader of the full body must not get its prefix.
  const both = [reading({ requestBodyPrefix: true }), reading({ requestBody: true })]
  assert.equal(bodiesReadBy(both).request, true)
  assert.deepEqual(
    [
      combinedBufferNeed('prefix', true),
      combinedBufferNeed(true, 'prefix'),
      combinedBufferNeed(false, 'prefix'),
      combinedBufferNeed(false, false),
    ],
    [true, true, 'prefix', false],
  )
})

test('the prefix of a request body', async (t) => {
  const beginning: BufferedBodies = { request: 'prefix', reply: false }

  await t.test('is available for a body beyond the limit, which is forwarded in full', async () => {
    const x = exchange({
      method: 'POST',
      body: new ManualBody().send('abc').send('def').send('gh').end(['x-sum', '8']),
    })
    assert.equal(await decided(beginning, x), undefined)
    assert.equal(String(x.request.bodyPrefix), 'abcd')
    assert.equal(x.request.headers.has('content-length'), false)
    let trailers: readonly string[] | undefined
    let text = ''
    x.request.body.pipe({
      write: (chunk) => ((text += Buffer.from(chunk).toString()), true),
      end: (fields) => (trailers = fields),
      fail: () => assert.fail('it failed'),
      onDrain: () => assert.fail('it waits'),
    })
    assert.deepEqual([text, trailers], ['abcdefgh', ['x-sum', '8']])
  })

  await t.test('is available for a body with a Content-Length beyond the limit', async () => {
    const x = exchange({ method: 'POST', body: new ManualBody(6).send('abcdef').end() })
    assert.equal(await decided(beginning, x), undefined)
    assert.deepEqual([String(x.request.bodyPrefix), x.request.body.lengthBytes], ['abcd', 6])
    assert.equal(await readText(x.request.body), 'abcdef')
  })

  await t.test('does not wait for bytes beyond it', async () => {
    const x = exchange({ method: 'POST', body: new ManualBody().send('abcde') })
    assert.equal(await decided(beginning, x), undefined)
    assert.equal(String(x.request.bodyPrefix), 'abcd')
  })

  await t.test('is all of a body within the limit', async () => {
    const x = exchange({ method: 'POST', body: new ManualBody().send('ab').send('cd').end() })
    assert.equal(await decided(beginning, x), undefined)
    assert.ok(x.request.body instanceof BufferBody)
    assert.deepEqual([x.request.bodyPrefix, String(x.request.body.bytes)], [undefined, 'abcd'])
  })

  await t.test('is cut from an in-memory body without waiting', () => {
    const x = exchange({ method: 'POST', body: 'abcdef' })
    assert.equal(withBufferedBodies(beginning, 4, () => undefined)(x), undefined)
    assert.deepEqual([String(x.request.bodyPrefix), x.request.body.lengthBytes], ['abcd', 6])
  })

  await t.test('is read once for any number of stages', async () => {
    const x = exchange({ method: 'POST', body: new ManualBody().send('abcdef').end() })
    assert.equal(await decided(beginning, x), undefined)
    const { body } = x.request
    assert.equal(await decided(beginning, x), undefined)
    assert.equal(x.request.body, body)
  })

  await t.test('does not satisfy a reader of the full body', async () => {
    const x = exchange({ method: 'POST', body: new ManualBody().send('abcdef').end() })
    assert.equal(await decided(beginning, x), undefined)
    assert.equal(await decided({ request: true, reply: false }, x), 413)
  })

  await t.test('fails if the body is aborted before the limit', async () => {
    const gone = new Error('client gone')
    const x = exchange({ method: 'POST', body: new ManualBody().send('ab').fail(gone) })
    await assert.rejects(decided(beginning, x), gone)
  })
})

test('the prefix of a reply body', async (t) => {
  const beginning: BufferedBodies = { request: false, reply: 'prefix' }

  await t.test('is available for a body beyond the limit, which is forwarded in full', async () => {
    const x = replied(new ManualBody(6).send('abc').send('def').end(), ['content-length', '6'])
    assert.equal(await decided(beginning, x), undefined)
    assert.deepEqual([String(x.reply?.bodyPrefix), x.reply?.headers.get('content-length')], ['abcd', '6'])
    assert.equal(await readText(x.reply?.body), 'abcdef')
  })

  await t.test('is empty if a reply has no body', async () => {
    const x = exchange({
      method: 'HEAD',
      reply: new Reply(200, new Headers(['content-length', '9']), new ManualBody(9), 'Upstream'),
    })
    assert.equal(await decided(beginning, x), undefined)
    assert.equal(x.reply?.bodyPrefix, undefined)
  })

  await t.test('does not satisfy a reader of the full body', async () => {
    const x = replied(new ManualBody().send('abcdef').end())
    assert.equal(await decided({ request: false, reply: true }, x), 502)
  })
})
