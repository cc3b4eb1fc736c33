import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { retryAfterMs } from '../../../src/upstream/http/retry-after.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

test('the Retry-After of a response', async (t) => {
  const cases: readonly (readonly [name: string, value: string, ms: number | undefined])[] = [
    ['retry-after', '2', 2_000],
    ['retry-after', 'Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
    ['retry-after', 'Wed, 31 Dec 2025 00:00:00 GMT', undefined],
    ['retry-after', 'soon', undefined],
    ['retry-after-ms', '250', 250],
    ['x-ratelimit-reset', '30', 30_000],
    ['x-ratelimit-reset', String(NOW / 1000 + 7), 7_000],
    ['x-ratelimit-reset-after', '1.5', 1_500],
    ['x-ratelimit-reset-requests', '6m0s', 360_000],
    ['x-ratelimit-reset-tokens', '20ms', 20],
    ['anthropic-ratelimit-requests-reset', '2026-01-01T00:00:09Z', 9_000],
    ['x-other', '9', undefined],
  ]
  for (const [name, value, ms] of cases)
    await t.test(`is ${ms ?? 'unknown'} for ${name}: ${value}`, () => {
      assert.equal(retryAfterMs(new Headers([name, value]), NOW), ms)
    })

  await t.test('is the longest of several', () => {
    assert.equal(
      retryAfterMs(new Headers(['retry-after', '1', 'x-ratelimit-reset-tokens', '3s']), NOW),
      3_000,
    )
  })
})
