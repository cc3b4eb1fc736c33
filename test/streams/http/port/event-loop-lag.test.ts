import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExchangeAdmission } from '../../../../src/streams/http/port/serve.ts'
import { EventLoopLag } from '../../../../src/streams/http/port/event-loop-lag.ts'

test('event loop lag', async (t) => {
  const lagging = (): EventLoopLag => Object.assign(new EventLoopLag(), { limitMs: 1_000, forMs: 3_000 })

  await t.test('is tolerated once', () => {
    const lag = lagging()
    lag.observe(2_500, 2_500)
    assert.equal(lag.tooMuch, false)
    lag.observe(10, 2_750)
    lag.observe(2_500, 5_500)
    assert.equal(lag.tooMuch, false)
    lag.observe(10, 5_750)
    lag.observe(10_000, 15_750)
    assert.equal(lag.tooMuch, false)
  })

  await t.test('in consecutive samples is overload, until a sample is good', () => {
    const lag = lagging()
    lag.observe(1_500, 1_500)
    assert.equal(lag.tooMuch, false)
    lag.observe(1_500, 3_000)
    assert.equal(lag.tooMuch, true)
    lag.observe(1_500, 4_500)
    assert.equal(lag.tooMuch, true)
    lag.observe(20, 4_750)
    assert.equal(lag.tooMuch, false)
  })

  await t.test('at the limit is accepted', () => {
    const lag = lagging()
    for (let now = 1_000; now < 10_000; now += 1_000) lag.observe(1_000, now)
    assert.equal(lag.tooMuch, false)
  })

  await t.test('is reported at its maximum over sixty samples', () => {
    const lag = lagging()
    assert.equal(lag.worstMs, 0)
    lag.observe(300, 250)
    lag.observe(20, 500)
    assert.equal(lag.worstMs, 300)
    for (let look = 0; look < 58; look++) lag.observe(10, 750 + look * 250)
    assert.equal(lag.worstMs, 300)
    lag.observe(10, 15_250)
    assert.equal(lag.worstMs, 20)
  })

  await t.test('is measured', async () => {
    const lag = Object.assign(new EventLoopLag(), { limitMs: 60, forMs: 100 })
    lag.start()
    const isTooMuch = () => lag.tooMuch
    while (!isTooMuch()) {
      const until = performance.now() + 120
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(lag.worstMs > 60 && lag.worstMs < 10_000, String(lag.worstMs))
    while (isTooMuch()) await new Promise((resolve) => setTimeout(resolve, 20))
    lag.stop()
  })

  await t.test('refuses new exchanges, and so does a process at its limit', () => {
    const admission = new ExchangeAdmission()
    admission.limits = { maxExchanges: 2, lagMs: 1_000, lagForMs: 3_000 }
    admission.inFlight = 2
    assert.equal(admission.isOverloaded, false)
    admission.inFlight = 3
    assert.equal(admission.isOverloaded, true)
    admission.inFlight = 1
    admission.lag.observe(2_000, 2_000)
    admission.lag.observe(1_500, 3_500)
    assert.equal(admission.isOverloaded, true)
  })
})
