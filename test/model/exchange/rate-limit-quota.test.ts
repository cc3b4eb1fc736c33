import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tighter } from '../../../src/model/exchange/rate-limit-quota.ts'

const quota = (remaining: number, resetSeconds = 1, limit = 100) => ({ limit, remaining, resetSeconds })

test('the tighter of two rate limit quotas', async (t) => {
  await t.test('is the one with fewer remaining, whatever its limit', () => {
    assert.equal(tighter(quota(5), quota(3, 1, 1_000)).remaining, 3)
    assert.equal(tighter(quota(3, 1, 1_000), quota(5)).remaining, 3)
  })

  await t.test('is the one with the later reset, if both have the same remaining', () => {
    assert.equal(tighter(quota(0, 7), quota(0, 9)).resetSeconds, 9)
    assert.equal(tighter(quota(0, 9), quota(0, 7)).resetSeconds, 9)
  })

  await t.test('is the second if the first is absent', () => {
    assert.equal(tighter(undefined, quota(4)).remaining, 4)
  })
})
