import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBucket } from '../../../src/operators/local-rate-limit/token-bucket.ts'

/** A bucket of 10 that gets 4 every second, with a manual clock. */
const bucketAt = (parts: Partial<ConstructorParameters<typeof TokenBucket>[0]> = {}) => {
  const clock = { ms: 1_000 }
  const options = { maxTokens: 10, tokensPerFill: 4, fillIntervalMs: 1_000, ...parts }
  return { bucket: new TokenBucket(options, () => clock.ms), clock }
}

test('a token bucket', async (t) => {
  await t.test('starts full', () => {
    assert.equal(bucketAt().bucket.available, 10)
  })

  await t.test('provides what it has, and no more', () => {
    const { bucket } = bucketAt()
    assert.deepEqual(
      [bucket.take(7), bucket.take(4), bucket.take(3), bucket.take(1)],
      [true, false, true, false],
    )
  })

  await t.test('is refilled after each interval, up to its size', () => {
    const { bucket, clock } = bucketAt()
    bucket.take(10)
    const seen = [999, 1, 999, 1, 1_000, 1_000].map((ms) => {
      clock.ms += ms
      return bucket.available
    })
    assert.deepEqual(seen, [0, 4, 4, 8, 10, 10])
  })

  await t.test('computes many intervals at once', () => {
    const { bucket, clock } = bucketAt({ maxTokens: 1_000 })
    bucket.take(1_000)
    clock.ms += 100_500
    assert.equal(bucket.available, 400)
    clock.ms += 500
    assert.equal(bucket.available, 404)
  })

  await t.test('starts its interval with the first token that is taken', () => {
    const { bucket, clock } = bucketAt({ maxTokens: 1, tokensPerFill: 1 })
    clock.ms += 999
    bucket.take(1)
    clock.ms += 999
    assert.equal(bucket.available, 0)
    clock.ms += 1
    assert.equal(bucket.available, 1)
  })

  await t.test('allows no more than its size and its refills, however requests are spread', () => {
    const { bucket, clock } = bucketAt()
    let passed = 0
    for (let ms = 0; ms < 60_000; ms += 7) {
      clock.ms += 7
      if (bucket.take(1)) passed++
    }
    assert.ok(passed <= 10 + 60 * 4, String(passed))
    assert.ok(passed >= 59 * 4, String(passed))
  })

  await t.test('may be overdrawn, and has to refill then', () => {
    const { bucket, clock } = bucketAt()
    bucket.charge(17)
    assert.deepEqual([bucket.available, bucket.take(1), bucket.quota().remaining], [-7, false, 0])
    clock.ms += 2_000
    assert.deepEqual([bucket.available, bucket.take(1)], [1, true])
  })

  await t.test('corrects a charge in either direction', () => {
    const { bucket } = bucketAt()
    bucket.charge(3)
    bucket.reconcile(3, 5)
    assert.equal(bucket.available, 5)
    bucket.reconcile(5, 2)
    assert.equal(bucket.available, 8)
    bucket.reconcile(5, 0)
    assert.equal(bucket.available, 10)
    bucket.reconcile(0, 25)
    assert.equal(bucket.available, -15)
  })

  await t.test('reports the remaining tokens, and the next refill', () => {
    const { bucket, clock } = bucketAt({ fillIntervalMs: 90_000 })
    bucket.take(3)
    assert.deepEqual(bucket.quota(), { limit: 10, remaining: 7, resetSeconds: 90 })
    clock.ms += 60_500
    assert.equal(bucket.available, 7)
    assert.deepEqual(bucket.quota(), { limit: 10, remaining: 7, resetSeconds: 30 })
  })

  await t.test('computes the wait for tokens', () => {
    const { bucket, clock } = bucketAt()
    assert.equal(bucket.waitMs(1), 0)
    bucket.take(10)
    assert.deepEqual([bucket.waitMs(1), bucket.waitMs(4), bucket.waitMs(5)], [1_000, 1_000, 2_000])
    clock.ms += 250
    assert.equal(bucket.waitMs(1), 750)
    bucket.charge(4)
    assert.equal(bucket.waitMs(1), 1_750)
  })

  await t.test('reports a wait without end', () => {
    assert.equal(bucketAt().bucket.waitMs(11), undefined)
    const { bucket } = bucketAt({ tokensPerFill: 0 })
    bucket.take(10)
    assert.equal(bucket.waitMs(1), undefined)
  })

  await t.test('of size 0 provides nothing', () => {
    const { bucket, clock } = bucketAt({ maxTokens: 0 })
    clock.ms += 10_000
    assert.equal(bucket.take(1), false)
  })
})
