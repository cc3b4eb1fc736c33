import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EndpointHealth } from '../../../src/upstream/load-balancing/outlier-detection.ts'

test('the health of an endpoint', async (t) => {
  await t.test('is lower after failures, and after slow calls', () => {
    const good = new EndpointHealth()
    const slow = new EndpointHealth()
    const bad = new EndpointHealth()
    good.succeeded(0, 10)
    slow.succeeded(0, 2_000)
    bad.failed(0, undefined)
    assert.ok(good.score(0) > slow.score(0))
    assert.ok(slow.score(0) < 0.5)
    assert.equal(bad.score(0), 0.7)
  })

  await t.test('is lower for a busy endpoint than for an idle one with the same latency', () => {
    const idle = new EndpointHealth()
    const busy = new EndpointHealth()
    idle.succeeded(0, 100)
    busy.succeeded(0, 100)
    busy.pending = 10
    assert.equal(idle.score(0), 1 / 1.1)
    assert.equal(busy.score(0), 1 / 1.2)
  })

  await t.test('moves by three tenths with each observation', () => {
    const health = new EndpointHealth()
    health.failed(0, undefined)
    health.failed(0, undefined)
    assert.ok(Math.abs(health.score(0) - 0.49) < 1e-9)
    health.succeeded(0, 0)
    assert.ok(Math.abs(health.score(0) - 0.643) < 1e-9)
  })

  await t.test('recovers half of its loss in ten seconds without calls', () => {
    const health = new EndpointHealth()
    health.failed(0, undefined)
    assert.ok(Math.abs(health.score(10_000) - 0.85) < 1e-9)
  })

  await t.test(
    'loses half of a latency in ten seconds without calls, so that one slow call has no permanent effect',
    () => {
      const health = new EndpointHealth()
      health.succeeded(0, 2_000)
      assert.ok(Math.abs(health.score(10_000) - 1 / 2) < 1e-9)
      health.succeeded(10_000, 1_000)
      assert.ok(Math.abs(health.score(10_000) - 1 / 2) < 1e-9)
    },
  )

  await t.test('has no latency after an eviction', () => {
    const health = new EndpointHealth()
    health.succeeded(0, 5_000)
    health.failed(1, { durationMs: 10 })
    assert.equal(health.isEvicted(11), false)
    assert.equal(health.score(11), 1)
  })

  await t.test('evicts at the first failure by default, for three seconds', () => {
    const health = new EndpointHealth()
    health.failed(1_000, {})
    assert.deepEqual(
      [health.isEvicted(1_000), health.isEvicted(3_999), health.isEvicted(4_000)],
      [true, true, false],
    )
    assert.equal(health.score(4_000), 1)
  })

  await t.test('evicts after the configured number of failures in a row', () => {
    const health = new EndpointHealth()
    const eviction = { consecutiveFailures: 3, durationMs: 100 }
    health.failed(0, eviction)
    health.failed(0, eviction)
    health.succeeded(0, 1)
    health.failed(0, eviction)
    health.failed(0, eviction)
    assert.equal(health.isEvicted(0), false)
    health.failed(0, eviction)
    assert.equal(health.isEvicted(0), true)
  })

  await t.test('evicts below a threshold, not on it', () => {
    const health = new EndpointHealth()
    const eviction = { healthThreshold: 0.7, durationMs: 100 }
    health.failed(0, eviction)
    assert.equal(health.isEvicted(0), false)
    health.failed(0, eviction)
    assert.equal(health.isEvicted(0), true)
  })

  await t.test('evicts for longer each time, and returns with the configured health', () => {
    const health = new EndpointHealth()
    const eviction = { durationMs: 1_000, restoreHealth: 0.5 }
    health.failed(0, eviction)
    assert.deepEqual([health.isEvicted(999), health.isEvicted(1_000)], [true, false])
    assert.equal(health.score(1_000), 0.5)
    health.failed(1_000, eviction)
    assert.deepEqual([health.isEvicted(2_999), health.isEvicted(3_000)], [true, false])
    health.failed(3_000, eviction)
    assert.deepEqual([health.isEvicted(5_999), health.isEvicted(6_000)], [true, false])
  })

  await t.test('resets the eviction time after a long healthy time', () => {
    const health = new EndpointHealth()
    const eviction = { durationMs: 1_000 }
    health.failed(0, eviction)
    health.succeeded(10_000, 1)
    health.failed(10_000, eviction)
    assert.deepEqual([health.isEvicted(10_999), health.isEvicted(11_000)], [true, false])
  })

  await t.test("uses the endpoint's Retry-After, unless the configuration has a time", () => {
    const asked = new EndpointHealth()
    asked.failed(0, {}, 500)
    assert.deepEqual([asked.isEvicted(499), asked.isEvicted(500)], [true, false])
    const configured = new EndpointHealth()
    configured.failed(0, { durationMs: 100 }, 500)
    assert.equal(configured.isEvicted(100), false)
  })

  await t.test('never evicts without an eviction policy', () => {
    const health = new EndpointHealth()
    for (let i = 0; i < 20; i++) health.failed(0, undefined)
    assert.equal(health.isEvicted(0), false)
  })
})
