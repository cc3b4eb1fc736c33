import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { bufferReply, bufferRequest } from '../../../src/operators/buffer/buffer.ts'
import {
  fakeUpstream,
  exchange,
  ManualBody,
  operatorLaws,
  run,
  runAsync,
} from '../../../src/testing/index.ts'

const closed = { maxBytes: 8, failureMode: 'failClosed' } as const
const open = { maxBytes: 8, failureMode: 'failOpen' } as const
const never = () => assert.fail('called')
const tick = () => new Promise(setImmediate)

test('bufferRequest', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(bufferRequest(closed), { exchange: { body: 'text' } }),
  )

  await t.test('forwards a request once its body is complete', async () => {
    const body = new ManualBody()
    let done = false
    const buffered = runAsync(bufferRequest(closed), exchange({ body })).finally(() => (done = true))
    body.send('hel')
    await tick()
    assert.ok(!done)
    body.send('lo').end()
    const { request } = await buffered
    assert.ok(request.body instanceof BufferBody)
    assert.deepEqual([String(request.body.bytes), request.headers.get('content-length')], ['hello', '5'])
  })

  await t.test('checks the length of an in-memory body', async () => {
    assert.equal((await runAsync(bufferRequest(closed), exchange({ body: '123456789' }))).reply?.status, 413)
    assert.equal((await runAsync(bufferRequest(open), exchange({ body: '123456789' }))).reply, undefined)
    assert.equal((await runAsync(bufferRequest(closed), exchange({ body: '12345678' }))).reply, undefined)
  })

  await t.test('keeps the trailers', async () => {
    const body = new ManualBody().send('a').end(['x-sum', '1'])
    const { request } = await runAsync(bufferRequest(closed), exchange({ body }))
    const trailers: unknown[] = []
    request.body.pipe({
      write: () => true,
      end: (given) => void trailers.push(given),
      fail: never,
      onDrain: never,
    })
    assert.deepEqual([trailers, request.headers.has('content-length')], [[['x-sum', '1']], false])
  })

  await t.test('accepts a body of exactly the limit, and refuses one more byte with 413', async () => {
    const fits = await runAsync(
      bufferRequest(closed),
      exchange({ body: new ManualBody().send('12345678').end() }),
    )
    assert.equal(fits.reply, undefined)
    const over = await runAsync(
      bufferRequest(closed),
      exchange({ body: new ManualBody().send('12345678').send('9') }),
    )
    assert.deepEqual([over.reply?.status, over.reply?.code], [413, 'body_too_large'])
  })

  await t.test('refuses a Content-Length beyond the limit at once', () => {
    const body = new ManualBody(9)
    assert.equal(run(bufferRequest(closed), exchange({ body })).reply?.status, 413)
    assert.equal(body.taken, 0)
  })

  await t.test('streams a longer body if configured, without loss', async () => {
    const body = new ManualBody().send('12345').send('67890').send('ab')
    const { request, reply } = await runAsync(bufferRequest(open), exchange({ body }))
    assert.equal(reply, undefined)
    assert.ok(body.paused)
    const reading = request.body.read(100)
    body.send('cd').end()
    assert.equal(String(await reading), '1234567890abcd')
  })

  await t.test('streams a Content-Length beyond the limit unbuffered, if configured', () => {
    const body = new ManualBody(9)
    assert.equal(run(bufferRequest(open), exchange({ body })).request.body, body)
  })

  await t.test('passes the fault of an aborted body on', async () => {
    const fault = new Fault('client_gone', 'the client left')
    const buffered = runAsync(
      bufferRequest(closed),
      exchange({ body: new ManualBody().send('a').fail(fault) }),
    )
    await assert.rejects(buffered, fault)
  })
})

test('bufferReply', async (t) => {
  const through = (side: typeof closed | typeof open, body: ManualBody, method = 'GET') =>
    runAsync(
      pipe(fakeUpstream(200, { 'transfer-encoding': 'chunked' }, body), bufferReply(side)),
      exchange({ method }),
    )

  await t.test('obeys the laws of operators', () => operatorLaws(bufferReply(closed)))

  await t.test('buffers the head until the body is complete, and sets its length', async () => {
    const body = new ManualBody()
    const buffered = through(closed, body)
    body.send('hel').send('lo').end()
    const { reply } = await buffered
    assert.equal(reply?.headers.get('content-length'), '5')
    assert.equal(String(await reply.body.read(5)), 'hello')
  })

  await t.test('replies 502 to a longer body', async () => {
    const { reply } = await through(closed, new ManualBody().send('123456789'))
    assert.deepEqual([reply?.status, reply?.code], [502, 'reply_too_large'])
    assert.equal((await through(closed, new ManualBody(9))).reply?.status, 502)
  })

  await t.test('releases a response with a Content-Length beyond the limit', async () => {
    const body = new ManualBody(9)
    await through(closed, body)
    assert.ok(body.dropped)
  })

  await t.test('streams a longer body if configured', async () => {
    const body = new ManualBody().send('123456789').send('0').end()
    const { reply } = await through(open, body)
    assert.deepEqual([reply?.status, String(await reply?.body.read(100))], [200, '1234567890'])
  })

  await t.test('does not wait for the body of a response to HEAD', async () => {
    assert.equal((await through(closed, new ManualBody(1_000), 'HEAD')).reply?.status, 200)
  })

  await t.test('turns an upstream failure in the body into an error reply', async () => {
    const fault = new Fault('upstream_failed', 'upstream call failed: connection reset', { status: 503 })
    await assert.rejects(through(closed, new ManualBody().send('half').fail(fault)), fault)
  })
})
