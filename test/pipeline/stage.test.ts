import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from, of, pipe, Subject } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { deny, respond } from '../../src/model/exchange/reply.ts'
import { onReply, onRequest } from '../../src/pipeline/stage.ts'
import {
  fakeUpstream,
  exchange,
  operatorLaws,
  run,
  runAsync,
  TraceRecorder,
} from '../../src/testing/index.ts'

/** Returns no verdict, but reads the request as stages do. */
const look = (x: Exchange): void => {
  x.request.headers.get('x-look')
}

test('onRequest', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(onRequest('pass', look))
    await operatorLaws(onRequest('refuse', (x) => deny(403, 'no', { message: x.request.path })))
    await operatorLaws(
      onRequest('later', async (x) => {
        await Promise.resolve()
        return deny(403, 'no', { message: x.request.path })
      }),
      { parks: true },
    )
  })

  await t.test('sets the reply of the verdict', () => {
    assert.equal(
      run(
        onRequest('refuse', () => deny(403, 'no')),
        exchange(),
      ).reply?.code,
      'no',
    )
  })

  await t.test('is not called for exchanges that have a reply', () => {
    const asked = onRequest('asked', () => deny(500, 'asked'))
    assert.equal(run(pipe(fakeUpstream(200), asked), exchange()).reply?.status, 200)
  })

  await t.test('turns a rejection into an error', async () => {
    const broken = onRequest('broken', () => Promise.reject(new Error('no connection')))
    await assert.rejects(runAsync(broken, exchange()), { message: 'no connection' })
  })

  await t.test('does not complete before its pending exchanges', async () => {
    const verdict = Promise.withResolvers<undefined>()
    const heard: string[] = []
    const [first, second] = [exchange(), exchange({ path: '/wait' })]
    const stage = onRequest('stage', (x) => (x.request.path === '/wait' ? verdict.promise : undefined))
    stage(from([second, first])).subscribe({
      next: (x) => heard.push(x.request.path),
      complete: () => heard.push('complete'),
    })
    assert.deepEqual(heard, ['/'])
    verdict.resolve(undefined)
    await verdict.promise
    await Promise.resolve()
    assert.deepEqual(heard, ['/', '/wait', 'complete'])
  })

  await t.test(
    'emits nothing when a pending exchange gets its verdict after the client disconnected',
    async () => {
      const verdict = Promise.withResolvers<never>()
      const heard: unknown[] = []
      const listen = (event?: unknown) => heard.push(event)
      const parked = onRequest('parked', () => verdict.promise)
      parked(of(exchange())).subscribe({ next: listen, error: listen, complete: listen }).unsubscribe()
      verdict.reject(new Error('too late'))
      await new Promise(setImmediate)
      assert.deepEqual(heard, [])
    },
  )
})

test('onReply', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(onReply('stamp', (x) => x.reply?.headers.set('x-stamp', 'yes')))
    await operatorLaws(onReply('replace', (x) => respond(200, x.request.path, x.reply?.headers)))
  })

  await t.test('may replace the reply, whatever its source', () => {
    const replace = onReply('replace', () => deny(502, 'nonsense'))
    assert.equal(run(pipe(fakeUpstream(200), replace), exchange()).reply?.code, 'nonsense')
    assert.equal(
      run(
        pipe(
          onRequest('refuse', () => deny(403, 'no')),
          replace,
        ),
        exchange(),
      ).reply?.code,
      'nonsense',
    )
  })

  await t.test('runs on the stack of the stage that replied', () => {
    const answered$ = new Subject<Exchange>()
    const order: string[] = []
    onReply('see', () => {
      order.push('stage')
    })(answered$).subscribe(() => order.push('sink'))
    answered$.next(exchange({ reply: respond(200, '') }))
    order.push('upstream goes on')
    assert.deepEqual(order, ['stage', 'sink', 'upstream goes on'])
  })

  await t.test('traces its name and its verdict', () => {
    const trace = new TraceRecorder()
    const reply = respond(204, '')
    run(
      pipe(
        onRequest('first', () => reply),
        onReply('second', () => undefined),
      ),
      exchange({ trace }),
    )
    assert.deepEqual(
      [trace.stages, trace.verdicts],
      [
        ['first', 'second'],
        [reply, undefined],
      ],
    )
  })
})
