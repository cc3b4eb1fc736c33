import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, Observable, of, pipe, throwError } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { Fault } from '../../src/model/exchange/fault.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { rescue } from '../../src/pipeline/rescue.ts'
import { onReply, onRequest, type Operator } from '../../src/pipeline/stage.ts'
import {
  fakeUpstream,
  failingUpstream,
  exchange,
  operatorLaws,
  run,
  runAsync,
} from '../../src/testing/index.ts'

const down = new Fault('upstream_failed', 'upstream call failed: connection refused', { status: 503 })
const toReply = faultReply((bug) => {
  throw bug
})
/** Replies, and fails when `break` is called: an upstream that dies in the middle of its body. */
const dying = () => {
  let out: { error(fault: unknown): void } | undefined
  const operator: Operator = (source) =>
    new Observable((subscriber) => {
      out = subscriber
      return fakeUpstream(200)(source).subscribe((x) => {
        subscriber.next(x)
      })
    })
  return { operator, break: () => out?.error(down) }
}

/** Returns no verdict, but reads the request as stages do. */
const look = (x: Exchange): void => {
  x.request.headers.get('x-look')
}

test('rescue', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(rescue(onRequest('inner', look), toReply)))

  await t.test('turns a fault into a reply for later stages', () => {
    const stamp = onReply('stamp', (x) => x.reply?.headers.set('x-stamp', 'yes'))
    const { reply } = run(pipe(rescue(failingUpstream(down), toReply), stamp), exchange())
    assert.deepEqual(
      [reply?.status, reply?.code, reply?.headers.get('x-stamp')],
      [503, 'upstream_failed', 'yes'],
    )
  })

  await t.test('rescues errors of a pending stage', async () => {
    const parked = onRequest('parked', () => Promise.reject(down))
    assert.equal((await runAsync(rescue(parked, toReply), exchange())).reply?.status, 503)
  })

  await t.test('passes the fault on after the head was sent', () => {
    const upstream = dying()
    const heard: unknown[] = []
    rescue(
      upstream.operator,
      toReply,
    )(of(exchange())).subscribe({
      next: (x) => {
        x.downstream.committed = true
        heard.push(x.reply?.status)
      },
      error: (fault: unknown) => heard.push(fault),
    })
    upstream.break()
    assert.deepEqual(heard, [200, down])
  })

  await t.test('emits an exchange once, even if it fails while a later stage buffers its reply', async () => {
    const upstream = dying()
    const held = Promise.withResolvers<undefined>()
    const heard: unknown[] = []
    pipe(
      rescue(upstream.operator, toReply),
      onReply('hold', () => held.promise),
    )(of(exchange())).subscribe({
      next: (x) => heard.push(x.reply?.status),
      error: (fault: unknown) => heard.push(fault),
    })
    upstream.break()
    held.resolve(undefined)
    await new Promise(setImmediate)
    assert.equal(heard.length, 1)
  })

  await t.test('nests: the outer one replies if the inner one rethrows', () => {
    const strict = rescue(failingUpstream(down), (fault) => {
      throw fault
    })
    assert.equal(run(rescue(strict, toReply), exchange()).reply?.status, 503)
  })

  await t.test('nests: the outer one is not involved if the inner one replies', () => {
    const outer = rescue(rescue(failingUpstream(down), toReply), () =>
      assert.fail('the outer rescue was asked'),
    )
    assert.equal(run(outer, exchange()).reply?.status, 503)
  })

  await t.test('releases its source when the client disconnects', () => {
    let released = false
    const inner: Operator = () =>
      new Observable<Exchange>(() => () => {
        released = true
      })
    rescue(inner, toReply)(of(exchange())).subscribe().unsubscribe()
    assert.ok(released)
  })

  await t.test('rescues each exchange separately', () => {
    const odd: Operator = (source) =>
      source.pipe((one) => (turn++ % 2 ? throwError(() => down) : fakeUpstream(200)(one)))
    let turn = 0
    const statuses: unknown[] = []
    rescue(
      odd,
      toReply,
    )(of(exchange(), exchange(), exchange())).subscribe((x) => statuses.push(x.reply?.status))
    assert.deepEqual(statuses, [200, 503, 200])
  })

  await t.test('does not complete before its source', () => {
    let complete = false
    rescue(
      () => NEVER,
      toReply,
    )(of(exchange()))
      .subscribe({ complete: () => (complete = true) })
      .unsubscribe()
    assert.ok(!complete)
  })
})
