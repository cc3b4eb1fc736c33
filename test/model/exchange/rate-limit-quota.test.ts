import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tighter } from '../../../src/model/exchange/rate-limit-quota.ts'

const quota = (remaining: number, resetSeconds = 1, limit = 100) => ({ limit, remaining, resetSeconds })

test('of two quotas the tighter one', async (t) => {
  await t.test('is the one that leaves less, whatever its limit is', () => {
    assert.equal(tighter(quota(5), quota(3, 1, 1_000)).remaining, 3)
    assert.equal(tighter(quota(3, 1, 1_000), quota(5)).remaining, 3)
  })

  await t.test('is the one that takes longer, if both leave the same', () => {
    assert.equal(tighter(quota(0, 7), quota(0, 9)).resetSeconds, 9)
    assert.equal(tighter(quota(0, 9), quota(0, 7)).resetSeconds, 9)
  })

  await t.test('is the second if there is no other', () => {
    assert.equal(tighter(undefined, quota(4)).remaining, 4)
  })
})
