import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPhoneNumber } from '../../../../../src/operators/llm/guardrails/regex/phone-number.ts'

test('a text full of digits', async (t) => {
  /** No plan has numbers with this prefix. */
  const candidate = (i: number) => `0000${String(i).padStart(8, '0')}`

  await t.test('has a limit of look-ups: the rest counts as numbers', () => {
    const found = Array.from({ length: 10_000 }, (_, i) => isPhoneNumber(candidate(i)))
    assert.ok(found.slice(0, 1_000).every((is) => !is))
    assert.ok(found.slice(-5_000).every((is) => is))
  })

  await t.test('has a new limit in the next turn', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isPhoneNumber(candidate(20_000)), false)
    assert.equal(isPhoneNumber('+14155552671'), true)
  })
})
