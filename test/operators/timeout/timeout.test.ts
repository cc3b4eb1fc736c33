import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observable, of, pipe } from 'rxjs'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { backendRequestTimeout, requestTimeout } from '../../../src/operators/timeout/timeout.ts'
import { faultReply } from '../../../src/pipeline/fault-reply.ts'
import { rescue } from '../../../src/pipeline/rescue.ts'
import { onRequest, type Operator } from '../../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'

/** Replies, and stalls in the body. */
const stalling: Operator = (source) =>
  new Observable<Exchange>((out) =>
    fakeUpstream(200)(source).subscribe((x) => {
      out.next(x)
    }),
  )
const silent: Operator = () => new Observable<Exchange>()
const slow = onRequest('slow', () => new Promise<undefined>((resolve) => setTimeout(resolve, 30, undefined)))

test('requestTimeout', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(requestTimeout(1_000, fakeUpstream(200))))

  await t.test('replies 504 before the head is sent', async () => {
    const { reply } = await runAsync(rescue(requestTimeout(10, silent), faultReply()), exchange())
    assert.deepEqual([reply?.status, reply?.code, reply?.reason], [504, 'request_timeout', 'Timeout'])
    assert.equal(String(await reply?.body.read(100)), 'request timeout')
  })

  await t.test(
    'aborts the exchange after the head is sent, so that a truncated reply is detected',
    async () => {
      const heard: unknown[] = []
      const broken = Promise.withResolvers<unknown>()
      rescue(
        requestTimeout(500, stalling),
        faultReply(),
      )(of(exchange())).subscribe({
        next: (x) => {
          x.downstream.committed = true
          heard.push(x.reply?.status)
        },
        error: broken.resolve,
      })
      const fault = await broken.promise
      assert.deepEqual([heard, (fault as { code?: string }).code], [[200], 'request_timeout'])
    },
  )

  await t.test('starts at the admission, not at its own stage', async () => {
    const late = pipe(slow, requestTimeout(20, fakeUpstream(200)))
    await assert.rejects(runAsync(late, exchange()), { code: 'request_timeout' })
  })

  await t.test('includes the time of every stage inside it', async () => {
    await assert.rejects(runAsync(requestTimeout(10, pipe(slow, fakeUpstream(200))), exchange()), {
      code: 'request_timeout',
    })
  })
})

test('backendRequestTimeout', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(backendRequestTimeout(1_000, fakeUpstream(200))),
  )

  await t.test('fails with 504 without a response head', async () => {
    await assert.rejects(runAsync(backendRequestTimeout(10, silent), exchange()), {
      code: 'upstream_timeout',
      status: 504,
      reason: 'Timeout',
      message: 'upstream call timeout',
    })
  })

  await t.test('does not limit the body', async () => {
    const heard: unknown[] = []
    const subscription = backendRequestTimeout(
      5,
      stalling,
    )(of(exchange())).subscribe({
      next: () => heard.push('next'),
      error: (fault: unknown) => heard.push(fault),
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    subscription.unsubscribe()
    assert.deepEqual(heard, ['next'])
  })

  await t.test('starts with the call', async () => {
    const x = exchange()
    await new Promise((resolve) => setTimeout(resolve, 15))
    assert.equal(run(backendRequestTimeout(10, fakeUpstream(200)), x).reply?.status, 200)
  })
})
