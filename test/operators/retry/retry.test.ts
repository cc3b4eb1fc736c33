import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { map, NEVER, Observable, of, pipe, tap } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { Agent, request as send } from 'undici'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { retry, type RetryOptions } from '../../../src/operators/retry/retry.ts'
import { requestTimeout } from '../../../src/operators/timeout/timeout.ts'
import { onRequest, type Operator } from '../../../src/pipeline/stage.ts'
import {
  fakeUpstream,
  failingUpstream,
  exchange,
  inTurn,
  ManualBody,
  operatorLaws,
  run,
  runAsync,
  TraceRecorder,
} from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const twice = (more: Partial<RetryOptions> = {}): RetryOptions => ({
  attempts: 2,
  codes: [503],
  bufferLimitBytes: 16,
  ...more,
})
const down = new Fault('upstream_failed', 'upstream call failed', { status: 503, reason: 'UpstreamFailure' })
const seen = (see: (x: Exchange) => void): Operator => tap(see)

/** Reads the request body to its end, then replies with the next status of the list, and repeats the last. */
const reader = (...statuses: number[]) => {
  const bodies: string[] = []
  const operator = onRequest('reader', async (x) => {
    x.upstream.attempts++
    bodies.push(String(await x.request.body.read(1_000_000)))
    return new Reply(
      statuses.length > 1 ? (statuses.shift() ?? 0) : (statuses[0] ?? 0),
      new Headers(),
      new BufferBody(''),
      'Upstream',
    )
  })
  return { bodies, operator }
}

test('retry', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(retry(twice(), fakeUpstream(200)))
    await operatorLaws(retry(twice({ attempts: 0 }), fakeUpstream(503)))
  })

  await t.test('retries after a listed status, and passes the second response on', () => {
    const x = run(retry(twice(), inTurn(fakeUpstream(503), fakeUpstream(200))), exchange())
    assert.deepEqual([x.reply?.status, x.upstream.attempts], [200, 2])
  })

  await t.test('retries at most as often as configured, and passes the last response on', () => {
    const x = run(retry(twice(), fakeUpstream(503)), exchange())
    assert.deepEqual([x.reply?.status, x.upstream.attempts], [503, 3])
  })

  await t.test('buffers 2 MiB of a body for expressions by default', async () => {
    const options = { attempts: 1, codes: [], precondition: gives(true, { requestBody: true }) }
    const statusOf = async (bytes: number) => {
      const body = new BufferBody('x'.repeat(bytes))
      const x = await runAsync(retry(options, fakeUpstream(200)), exchange({ method: 'POST', body }))
      return x.reply?.status
    }
    assert.deepEqual([await statusOf(2 ** 21), await statusOf(2 ** 21 + 1)], [200, 413])
  })

  await t.test('passes any other status on', () => {
    assert.equal(run(retry(twice(), fakeUpstream(500)), exchange()).upstream.attempts, 1)
  })

  await t.test('retries after faults of the call, and after no others', () => {
    const attempts = (fault: unknown) => {
      const x = exchange()
      assert.throws(() => run(retry(twice(), failingUpstream(fault)), x), fault as Error)
      return x.upstream.attempts
    }
    const timeout = new Fault('upstream_timeout', 'upstream call timeout', { status: 504, reason: 'Timeout' })
    const dns = new Fault('upstream_dns', 'no address', { status: 503, reason: 'UpstreamFailure' })
    const healthy = new Fault('no_healthy_backend', 'no healthy backends', {
      status: 503,
      reason: 'NoHealthyBackend',
    })
    const refused = new Fault('upgrade_refused', 'no upgrade', { status: 502, reason: 'UpstreamFailure' })
    const late = new Fault('request_timeout', 'request timeout', { status: 504, reason: 'Timeout' })
    assert.deepEqual([down, timeout, dns].map(attempts), [3, 3, 3])
    assert.deepEqual([healthy, refused, late, new TypeError('bug')].map(attempts), [1, 1, 1, 1])
  })

  await t.test('retries if the condition is true, whatever the status', () => {
    const notReady: Evaluate = (x) => ({ value: x.reply?.headers.get('x-ready') === 'no' })
    const upstream = inTurn(fakeUpstream(200, { 'x-ready': 'no' }), fakeUpstream(200, { 'x-ready': 'yes' }))
    assert.equal(run(retry(twice({ condition: notReady }), upstream), exchange()).upstream.attempts, 2)
    assert.equal(
      run(retry(twice({ condition: fails() }), fakeUpstream(200)), exchange()).upstream.attempts,
      1,
    )
  })

  await t.test('buffers the response if the condition reads its body', async () => {
    const isBusy: Evaluate = Object.assign(
      ({ reply }: Exchange) => ({ value: String(reply?.body.source() as Buffer) === 'busy' }),
      { reads: { replyBody: true } },
    )
    const upstream = inTurn(
      fakeUpstream(200, {}, new ManualBody().send('busy').end()),
      fakeUpstream(200, {}, new ManualBody().send('done').end()),
    )
    const x = await runAsync(retry(twice({ condition: isBusy }), upstream), exchange())
    assert.deepEqual([String(await x.reply?.body.read(9)), x.upstream.attempts], ['done', 2])
  })

  await t.test('does not retry if the precondition is false', () => {
    const attempts = (precondition: Evaluate) =>
      run(retry(twice({ precondition }), fakeUpstream(503)), exchange()).upstream.attempts
    assert.deepEqual([gives(true), gives(false), fails(), gives('yes')].map(attempts), [3, 1, 1, 1])
  })

  await t.test('sends the attempt number in a header that clients cannot set', () => {
    const counts: (string | undefined)[] = []
    const see = seen((x) => counts.push(x.request.headers.get('x-retry-attempt')))
    run(retry(twice(), pipe(see, fakeUpstream(503))), exchange({ headers: { 'x-retry-attempt': '7' } }))
    assert.deepEqual(counts, [undefined, '1', '2'])
  })

  await t.test('sends the original request each time, whatever an attempt changed', () => {
    const requests: string[] = []
    const see = seen(({ request }) => {
      requests.push(
        `${request.method} ${request.scheme}://${request.authority}${request.target} ${request.headers.get('x-a') ?? ''}`,
      )
    })
    const spoil = seen(({ request }) => {
      request.method = 'PUT'
      request.scheme = 'https'
      request.authority = 'backend.test'
      request.path = '/spoilt'
      request.query = ''
      request.headers.set('x-a', 'spoilt')
      request.body = new BufferBody('spoilt')
    })
    const x = exchange({ method: 'POST', path: '/a?q', headers: { 'x-a': '1' }, body: 'text' })
    const { body } = x.request
    const bodies: unknown[] = []
    run(
      retry(
        twice(),
        pipe(
          see,
          seen((one) => bodies.push(one.request.body)),
          spoil,
          fakeUpstream(503),
        ),
      ),
      x,
    )
    assert.deepEqual(new Set(requests), new Set(['POST http://gateway.test/a?q 1']))
    assert.deepEqual(
      bodies.map((one) => one === body),
      [true, true, true],
    )
  })

  await t.test('releases a response before it retries', () => {
    const order: string[] = []
    const replies = [new ManualBody(), new ManualBody()]
    const upstream: Operator = (source) =>
      new Observable<Exchange>((out) => {
        const call = order.filter((step) => step.startsWith('call')).length
        order.push(`call ${call}`)
        source.subscribe((x) => {
          x.reply = new Reply(call ? 200 : 503, new Headers(), replies[call] ?? new ManualBody(), 'Upstream')
          out.next(x)
        })
        return () => order.push(`released ${call}`)
      })
    const running = retry(twice(), upstream)(of(exchange())).subscribe(() => order.push('answered'))
    assert.deepEqual(order, ['call 0', 'released 0', 'call 1', 'answered'])
    assert.deepEqual(
      replies.map(({ dropped }) => dropped),
      [true, false],
    )
    running.unsubscribe()
    assert.equal(order.at(-1), 'released 1')
  })

  await t.test('does not retry after a response was passed on', () => {
    let fail: (fault: unknown) => void = () => undefined
    let calls = 0
    const dying: Operator = (source) =>
      new Observable<Exchange>((out) => {
        calls++
        fail = (fault) => {
          out.error(fault)
        }
        return fakeUpstream(200)(source).subscribe((x) => {
          out.next(x)
        })
      })
    const heard: unknown[] = []
    retry(
      twice(),
      dying,
    )(of(exchange())).subscribe({
      next: (x) => heard.push(x.reply?.status),
      error: (fault: unknown) => heard.push(fault),
    })
    fail(down)
    assert.deepEqual([heard, calls], [[200, down], 1])
  })

  await t.test('traces the reason of a retry', () => {
    const trace = new TraceRecorder()
    run(
      retry(twice(), inTurn(fakeUpstream(503), failingUpstream(down), fakeUpstream(200))),
      exchange({ trace }),
    )
    assert.deepEqual(trace.entries, [
      { type: 'policyEvent', kind: 'retry', details: 'retry 1 after status 503' },
      { type: 'policyEvent', kind: 'retry', details: 'retry 2 after upstream_failed' },
    ])
  })
})

test('retries with a request body', async (t) => {
  await t.test('replay a streamed body', async () => {
    const upstream = reader(503, 200)
    const body = new ManualBody()
    const running = runAsync(retry(twice(), upstream.operator), exchange({ method: 'POST', body }))
    body.send('hel').send('lo').end()
    assert.deepEqual([(await running).reply?.status, upstream.bodies], [200, ['hello', 'hello']])
  })

  await t.test('send all of a body that an early response left partly unread', async () => {
    const upstream = reader(200)
    const body = new ManualBody()
    const early = inTurn(
      pipe(
        seen((x) => void x.request.body.source()),
        fakeUpstream(503),
      ),
      upstream.operator,
    )
    body.send('hel')
    const running = runAsync(retry(twice(), early), exchange({ method: 'POST', body }))
    body.send('lo').end()
    await running
    assert.deepEqual(upstream.bodies, ['hello'])
  })

  await t.test('buffer 64 KiB, and not one byte more', async () => {
    for (const [sizeBytes, calls] of [
      [65_536, 3],
      [65_537, 1],
    ] as const) {
      const upstream = reader(503)
      const body = new ManualBody()
        .send(Buffer.alloc(60_000))
        .send(Buffer.alloc(sizeBytes - 60_000))
        .end()
      const x = await runAsync(retry(twice(), upstream.operator), exchange({ method: 'POST', body }))
      assert.deepEqual([x.reply?.status, x.upstream.attempts], [503, calls])
    }
  })

  await t.test('do not buffer a longer Content-Length, or trailers', () => {
    for (const [body, hasTrailers] of [
      [new ManualBody(65_537), false],
      [new ManualBody(), true],
    ] as const) {
      const x = run(retry(twice(), fakeUpstream(503)), exchange({ method: 'POST', body, hasTrailers }))
      assert.deepEqual([x.request.body, x.upstream.attempts], [body, 1])
    }
  })

  await t.test('do not happen if the body itself failed', async () => {
    const fault = new Fault('upstream_failed', 'the client left', { reason: 'UpstreamFailure' })
    const body = new ManualBody().send('half')
    const x = exchange({ method: 'POST', body })
    const running = runAsync(retry(twice(), reader(200).operator), x)
    body.fail(fault)
    await assert.rejects(running, fault)
    assert.equal(x.upstream.attempts, 1)
  })

  await t.test('buffer the body if the precondition reads it', async () => {
    const isSmall: Evaluate = Object.assign(
      ({ request }: Exchange) => ({ value: (request.body.lengthBytes ?? 99) < 9 }),
      { reads: { requestBody: true } },
    )
    const upstream = reader(503)
    const body = new ManualBody().send('hello').end()
    await runAsync(
      retry(twice({ precondition: isSmall }), upstream.operator),
      exchange({ method: 'POST', body }),
    )
    assert.deepEqual(upstream.bodies, ['hello', 'hello', 'hello'])
  })

  await t.test('work with a real client and a server that responds before it has read', async () => {
    const bodies: string[] = []
    const server = createServer((req, res) => {
      if (req.headers['x-retry-attempt'] === undefined) {
        res.writeHead(503, { connection: 'close' }).end()
        return
      }
      void text(req).then((received) => {
        bodies.push(received)
        res.end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const dispatcher = new Agent()
    const { port } = server.address() as AddressInfo
    const upstream = onRequest('upstream', async ({ request }) => {
      const { statusCode, body } = await send(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: [...request.headers.entries()].flat(),
        body: request.body.source(),
        dispatcher,
      }).catch((cause: unknown) => {
        throw new Fault('upstream_failed', 'upstream call failed', { reason: 'UpstreamFailure', cause })
      })
      await body.dump()
      return new Reply(statusCode, new Headers(), new BufferBody(''), 'Upstream')
    })
    const body = new ManualBody().send('hel')
    const x = await new Promise<Exchange>((resolve, reject) => {
      const answered$ = retry(twice(), upstream)(of(exchange({ method: 'POST', body })))
      answered$.subscribe({ next: resolve, error: reject })
      setImmediate(() => body.send('lo').end())
    })
    assert.deepEqual([x.reply?.status, bodies], [200, ['hello']])
    await dispatcher.close()
    server.close()
    await once(server, 'close')
  })
})

test('retries with a backoff', async (t) => {
  const statuses = map((x: Exchange) => String(x.reply?.status))
  const inVirtualTime = (act: Parameters<TestScheduler['run']>[0]) => {
    new TestScheduler((actual, expected) => {
      assert.deepEqual(actual, expected)
    }).run(act)
  }

  await t.test('are delayed', () => {
    inVirtualTime(({ cold, expectObservable }) => {
      const request$ = cold<Exchange>('x|', { x: exchange() })
      const answered$ = retry(
        twice({ backoffMs: 10 }),
        inTurn(fakeUpstream(503), fakeUpstream(200)),
      )(request$)
      expectObservable(answered$.pipe(statuses)).toBe('10ms (a|)', { a: '200' })
    })
  })

  await t.test('have a new delay for each call', () => {
    inVirtualTime(({ cold, expectObservable }) => {
      const request$ = cold<Exchange>('x|', { x: exchange() })
      const answered$ = retry(twice({ backoffMs: 10 }), failingUpstream(down))(request$)
      expectObservable(answered$.pipe(statuses)).toBe('20ms #', {}, down)
    })
  })

  await t.test('are cancelled when the client disconnects during the delay', () => {
    inVirtualTime(({ cold, expectObservable, flush }) => {
      const x = exchange()
      const answered$ = retry(twice({ backoffMs: 10 }), fakeUpstream(503))(cold<Exchange>('x|', { x }))
      expectObservable(answered$.pipe(statuses), '5ms !').toBe('-')
      flush()
      assert.equal(x.upstream.attempts, 1)
    })
  })

  await t.test('abort an active call when the client disconnects', () => {
    let released = 0
    const hanging: Operator = () =>
      new Observable<Exchange>(() => () => {
        released++
      })
    retry(
      twice(),
      inTurn(fakeUpstream(503), hanging),
    )(of(exchange()))
      .subscribe()
      .unsubscribe()
    assert.equal(released, 1)
  })

  await t.test('end at the deadline of the exchange', async () => {
    const x = exchange()
    const slow = requestTimeout(200, retry(twice({ backoffMs: 10_000 }), failingUpstream(down)))
    await assert.rejects(runAsync(slow, x), { code: 'request_timeout' })
    assert.equal(x.upstream.attempts, 1)
  })

  await t.test('do not come at once because the delay is too long for a timer', async () => {
    const x = exchange()
    const never = requestTimeout(200, retry(twice({ backoffMs: 9_999 * 3_600_000 }), failingUpstream(down)))
    await assert.rejects(runAsync(never, x), { code: 'request_timeout' })
    assert.equal(x.upstream.attempts, 1)
  })

  await t.test('do not complete before their calls', () => {
    let complete = false
    const running = retry(
      twice(),
      () => NEVER,
    )(of(exchange())).subscribe({ complete: () => (complete = true) })
    assert.ok(!complete)
    running.unsubscribe()
  })
})
