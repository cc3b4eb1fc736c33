import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, pipe } from 'rxjs'
import { bodyTooLarge } from '../../src/model/exchange/body.ts'
import { Fault } from '../../src/model/exchange/fault.ts'
import { onRequest } from '../../src/pipeline/stage.ts'
import {
  fakeUpstream,
  failingUpstream,
  exchange,
  inTurn,
  ManualBody,
  run,
  runAsync,
} from '../../src/testing/index.ts'

const waits = onRequest('waits', () => Promise.resolve(undefined))

test('run', async (t) => {
  await t.test('returns the exchange that was emitted', () => {
    const x = exchange()
    assert.equal(run(fakeUpstream(204), x), x)
  })

  await t.test('throws the fault of the operator', () => {
    const fault = new Fault('upstream_failed', 'down')
    assert.throws(() => run(failingUpstream(fault), exchange()), fault)
  })

  await t.test('throws if the exchange is pending or lost', async () => {
    assert.throws(() => run(waits, exchange()), /parked its exchange/)
    assert.throws(() => run(() => EMPTY, exchange()), /without its exchange/)
    await assert.rejects(
      runAsync(() => EMPTY, exchange()),
      /without its exchange/,
    )
  })

  await t.test('waits if runAsync is used', async () => {
    assert.equal((await runAsync(pipe(waits, fakeUpstream(204)), exchange())).reply?.status, 204)
  })
})

test('exchange', async (t) => {
  await t.test('is a plain GET without overrides', async () => {
    const { request, reply } = exchange()
    assert.deepEqual(
      [request.method, request.target, request.authority, request.scheme, reply],
      ['GET', '/', 'gateway.test', 'http', undefined],
    )
    const posted = exchange({
      method: 'POST',
      path: '/a?b=c',
      body: 'text',
      headers: { 'X-A': ['1', '2'] },
    }).request
    assert.deepEqual([posted.path, posted.query, posted.headers.all('x-a')], ['/a', '?b=c', ['1', '2']])
    assert.equal(String(await posted.body.read(10)), 'text')
  })
})

test('fake upstreams', async (t) => {
  await t.test('reply and count attempts', () => {
    const x = run(fakeUpstream(200, { etag: '"1"' }, 'hi'), exchange())
    assert.deepEqual(
      [x.reply?.headers.get('etag'), x.reply?.reason, x.upstream.attempts],
      ['"1"', 'Upstream', 1],
    )
  })

  await t.test('take turns', () => {
    const upstream = inTurn(fakeUpstream(503), fakeUpstream(200))
    assert.deepEqual(
      [1, 2, 3].map(() => run(upstream, exchange()).reply?.status),
      [503, 200, 200],
    )
  })
})

test('ManualBody', async (t) => {
  await t.test('buffers what its consumer does not read', () => {
    const body = new ManualBody()
    const got: string[] = []
    let resume = () => assert.fail('asked before it paused')
    body.send('one').send('two').end()
    body.pipe({
      write: (chunk) => got.push(String(chunk)) > 1,
      end: () => got.push('end'),
      fail: () => assert.fail(),
      onDrain: (callback) => {
        resume = callback as () => never
      },
    })
    assert.deepEqual([got, body.paused, body.taken], [['one'], true, 1])
    resume()
    assert.deepEqual([got, body.paused], [['one', 'two', 'end'], false])
  })

  await t.test('reads up to a limit', async () => {
    assert.equal(String(await new ManualBody().send('hel').send('lo').end().read(5)), 'hello')
    await assert.rejects(new ManualBody().send('hello').read(4), bodyTooLarge(4))
  })

  await t.test('can be consumed once', () => {
    const body = new ManualBody()
    void body.read(10)
    assert.throws(() => body.read(10), { code: 'body_already_used' })
  })
})
