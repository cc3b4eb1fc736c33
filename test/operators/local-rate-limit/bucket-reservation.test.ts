import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { TokenQuota } from '../../../src/model/exchange/token-limit.ts'
import { localRateLimit } from '../../../src/operators/local-rate-limit/local-rate-limit.ts'
import { TokenBucket } from '../../../src/operators/local-rate-limit/token-bucket.ts'
import { fakeUpstream, exchange, operatorLaws, run } from '../../../src/testing/index.ts'
import { sequence } from '../../../src/pipeline/sequence.ts'

const clock = { ms: 0 }
const bucketOf = (maxTokens: number, tokensPerFill = maxTokens) =>
  new TokenBucket({ maxTokens, tokensPerFill, fillIntervalMs: 10_000 }, () => clock.ms)

/** Runs an exchange through token limits. */
const admitted = (
  ...buckets: readonly TokenBucket[]
): { readonly x: Exchange; readonly tokenQuota: TokenQuota } => {
  const x = run(localRateLimit([], buckets).request, exchange())
  const { tokenQuota } = x.policy
  assert.ok(tokenQuota, String(x.reply?.status))
  return { x, tokenQuota }
}
const status = (...buckets: readonly TokenBucket[]) =>
  run(sequence([localRateLimit([], buckets).request, fakeUpstream(200)]), exchange()).reply?.status

test('a token limit', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(() => localRateLimit([], [bucketOf(100)]).request)
    await operatorLaws(() => localRateLimit([], [bucketOf(0)]).request)
  })

  await t.test('allows requests while one token is left, without charging them', () => {
    const bucket = bucketOf(1)
    for (let i = 0; i < 5; i++) assert.equal(status(bucket), 200)
    assert.equal(bucket.available, 1)
  })

  await t.test('is charged with the usage, and has to refill after an overdraft', () => {
    const bucket = bucketOf(100, 50)
    admitted(bucket).tokenQuota.used(180)
    assert.equal(bucket.available, -80)
    const refused = run(localRateLimit([], [bucket]).request, exchange()).reply
    assert.deepEqual([refused?.status, refused?.headers.get('retry-after')], [429, '20'])
    clock.ms += 10_000
    assert.equal(status(bucket), 429)
    clock.ms += 10_000
    assert.deepEqual([status(bucket), bucket.available], [200, 20])
  })

  await t.test('counts reserved tokens as a part of the usage, once', async () => {
    const bucket = bucketOf(100)
    const { tokenQuota } = admitted(bucket)
    assert.equal(await tokenQuota.reserve(30), undefined)
    assert.equal(bucket.available, 70)
    tokenQuota.used(50)
    assert.equal(bucket.available, 50)
    tokenQuota.used(5)
    tokenQuota.release()
    assert.equal(bucket.available, 45)
  })

  await t.test('gets unused reserved tokens back, once', async () => {
    const bucket = bucketOf(100)
    const { tokenQuota } = admitted(bucket)
    await tokenQuota.reserve(30)
    tokenQuota.release()
    tokenQuota.release()
    assert.equal(bucket.available, 100)
    tokenQuota.used(40)
    assert.equal(bucket.available, 60)
  })

  await t.test('keeps the reservation if the usage is unknown', async () => {
    const bucket = bucketOf(100)
    const { tokenQuota } = admitted(bucket)
    await tokenQuota.reserve(30)
    tokenQuota.used(undefined)
    tokenQuota.release()
    assert.equal(bucket.available, 70)
    admitted(bucket).tokenQuota.used(undefined)
    assert.equal(bucket.available, 70)
  })

  await t.test('gets back a reservation that was pending when the client disconnected', async () => {
    const [one, other] = [bucketOf(100), bucketOf(100)]
    const { tokenQuota } = admitted(one, other)
    const reserving = tokenQuota.reserve(30)
    assert.equal(one.available, 70)
    tokenQuota.release()
    await reserving
    assert.deepEqual([one.available, other.available], [100, 100])
  })

  await t.test('gets an abandoned reservation back after ten minutes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const bucket = bucketOf(100)
    const { tokenQuota } = admitted(bucket)
    await tokenQuota.reserve(30)
    t.mock.timers.tick(599_999)
    assert.equal(bucket.available, 70)
    t.mock.timers.tick(1)
    assert.equal(bucket.available, 100)
    tokenQuota.release()
    assert.equal(bucket.available, 100)
  })

  await t.test('is charged in full for usage that is reported later than that', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const [told, untold] = [bucketOf(100), bucketOf(100)]
    for (const [bucket, used] of [
      [told, 45],
      [untold, undefined],
    ] as const) {
      const { tokenQuota } = admitted(bucket)
      await tokenQuota.reserve(30)
      t.mock.timers.tick(600_000)
      for (let times = 0; times < 2; times++) tokenQuota.used(times === 0 ? used : undefined)
    }
    // Without usage, the reserved amount counts.
    assert.deepEqual([told.available, untold.available], [55, 70])
  })

  await t.test('counts the ten minutes from the last reservation', async (t) => {
    for (const end of ['used', 'release'] as const) {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const bucket = bucketOf(100)
      const { tokenQuota } = admitted(bucket)
      await tokenQuota.reserve(30)
      tokenQuota[end](0)
      t.mock.timers.tick(400_000)
      await tokenQuota.reserve(20)
      t.mock.timers.tick(400_000)
      assert.equal(bucket.available, 80)
      await tokenQuota.reserve(40)
      t.mock.timers.tick(400_000)
      assert.equal(bucket.available, 60)
      t.mock.timers.tick(200_000)
      assert.equal(bucket.available, 100)
      t.mock.timers.reset()
    }
  })

  await t.test('has one timer for reservations, which does not keep the process alive', async (t) => {
    const set = t.mock.method(globalThis, 'setTimeout')
    const clear = t.mock.method(globalThis, 'clearTimeout')
    const timers = () => set.mock.calls.map(({ result }) => result)
    const cleared = (timer: NodeJS.Timeout | undefined) =>
      clear.mock.calls.some(({ arguments: [one] }) => one === timer)
    const idle = admitted(bucketOf(100)).tokenQuota
    idle.used(20)
    idle.release()
    await new TokenQuota().reserve(10)
    assert.equal(timers().length, 0)
    for (const end of ['used', 'release'] as const) {
      const { tokenQuota } = admitted(bucketOf(100))
      await tokenQuota.reserve(30)
      const timer = timers().at(-1)
      assert.deepEqual([timer?.hasRef(), cleared(timer)], [false, false])
      tokenQuota[end](30)
      assert.equal(cleared(timer), true)
    }
    assert.equal((await admitted(bucketOf(10)).tokenQuota.reserve(30))?.status, 429)
    assert.deepEqual(timers().map(cleared), [true, true, true])
  })

  await t.test('reserves the difference when more is requested', async () => {
    const bucket = bucketOf(100)
    const { tokenQuota } = admitted(bucket)
    await tokenQuota.reserve(30)
    await tokenQuota.reserve(20)
    assert.equal(bucket.available, 70)
    await tokenQuota.reserve(40)
    assert.equal(bucket.available, 60)
  })

  await t.test('refuses more than it has, and then keeps no reservation of other limits', async () => {
    const [many, few] = [bucketOf(100), bucketOf(20)]
    const { x, tokenQuota } = admitted(many, few)
    const refusal = await tokenQuota.reserve(30)
    assert.deepEqual([refusal?.status, refusal?.code], [429, 'rate_limited'])
    assert.equal(refusal?.headers.get('retry-after'), undefined)
    assert.deepEqual([many.available, few.available, x.policy.quota?.remaining], [100, 20, 20])
  })

  await t.test('reserves for two concurrent exchanges no more than it has', async () => {
    const bucket = bucketOf(100)
    const [one, other] = [admitted(bucket), admitted(bucket)]
    assert.equal(await one.tokenQuota.reserve(60), undefined)
    assert.equal((await other.tokenQuota.reserve(60))?.status, 429)
    one.tokenQuota.release()
    assert.equal(await other.tokenQuota.reserve(60), undefined)
  })

  await t.test('charges a request limit beside it only for requests that both allow', () => {
    const [requests, tokens] = [bucketOf(5), bucketOf(10)]
    const { request } = localRateLimit([requests], [tokens])
    run(request, exchange()).policy.tokenQuota?.used(10)
    assert.equal(run(request, exchange()).reply?.status, 429)
    assert.deepEqual([requests.available, tokens.available], [4, 0])
  })
})
