import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY, NEVER, type Observable, of, throwError } from 'rxjs'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import type { OptionGroups } from '../../../../src/operators/llm/routing/provider-target.ts'
import type { ClientRequest } from '../../../../src/operators/llm/request/client-request.ts'
import { reservingTokens } from '../../../../src/operators/llm/usage/reserve-tokens.ts'
import { TokenBucket } from '../../../../src/operators/local-rate-limit/token-bucket.ts'
import { localRateLimit } from '../../../../src/operators/local-rate-limit/local-rate-limit.ts'
import { exchange, run } from '../../../../src/testing/index.ts'

const tokenizing = (tokenize: boolean) =>
  [[{ candidate: { provider: { tokenize } } }]] as unknown as OptionGroups
const heard = {
  type: 'completions',
  requestLine: {},
  body: { json: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } },
} as unknown as ClientRequest

/** An exchange under a limit of a hundred tokens, with a prompt of thirty. */
const start = () => {
  const bucket = new TokenBucket({ maxTokens: 100, tokensPerFill: 1, fillIntervalMs: 1_000 }, () => 0)
  const x = run(localRateLimit([], [bucket]).request, exchange())
  const counted = Promise.withResolvers<number>()
  return { bucket, x, counted }
}

/** Runs all pending promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('token reservations', async (t) => {
  const cases: Record<string, { ask: () => Observable<Exchange>; left: number }> = {
    'a response with lower usage': { ask: () => EMPTY, left: 100 },
    'a call that breaks': { ask: () => throwError(() => new Error('broken')), left: 100 },
    'a bug that throws': {
      ask: () => {
        throw new TypeError('a bug')
      },
      left: 100,
    },
    'a call that goes on': { ask: () => NEVER, left: 70 },
  }
  for (const [name, { ask, left }] of Object.entries(cases))
    await t.test(`leave ${String(left)} of 100 after ${name}`, async () => {
      const { bucket, x, counted } = start()
      const run = reservingTokens(x, heard, tokenizing(true), () => counted.promise, ask).subscribe({
        error: () => undefined,
      })
      counted.resolve(30)
      await settled()
      assert.equal(bucket.available, left)
      run.unsubscribe()
      assert.equal(bucket.available, 100)
    })

  await t.test('release unused tokens when the client disconnects, and keep used ones', async () => {
    for (const [used, left] of [
      [12, 88],
      [undefined, 70],
      [45, 55],
    ] as const) {
      const { bucket, x, counted } = start()
      const asked = reservingTokens(
        x,
        heard,
        tokenizing(true),
        () => counted.promise,
        () => NEVER,
      )
      const run = asked.subscribe()
      counted.resolve(30)
      await settled()
      x.policy.tokenQuota?.used(used)
      run.unsubscribe()
      assert.equal(bucket.available, left)
    }
  })

  await t.test('are not made if the client disconnects during the count', async () => {
    const { bucket, x, counted } = start()
    let asked = 0
    const run = reservingTokens(
      x,
      heard,
      tokenizing(true),
      () => counted.promise,
      () => {
        asked++
        return of(x)
      },
    ).subscribe()
    run.unsubscribe()
    counted.resolve(30)
    await settled()
    assert.deepEqual([bucket.available, asked], [100, 0])
  })

  await t.test('refuse what exceeds the limit, without an upstream call', async () => {
    const { bucket, x, counted } = start()
    let asked = 0
    reservingTokens(
      x,
      heard,
      tokenizing(true),
      () => counted.promise,
      () => {
        asked++
        return EMPTY
      },
    ).subscribe()
    counted.resolve(130)
    await settled()
    assert.deepEqual([x.reply?.status, bucket.available, asked], [429, 100, 0])
  })

  await t.test('are not made without a token limit, with tokenize off, or for an invalid request', () => {
    const never = () => assert.fail('counted')
    const { x } = start()
    reservingTokens(x, heard, tokenizing(false), never, () => EMPTY).subscribe()
    reservingTokens(exchange(), heard, tokenizing(true), never, () => EMPTY).subscribe()
    const wrong = { ...heard, body: { json: { messages: 5 } } } as unknown as ClientRequest
    reservingTokens(x, wrong, tokenizing(true), never, () => EMPTY).subscribe()
  })
})
