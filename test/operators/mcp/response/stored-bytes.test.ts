import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReplayBudget } from '../../../../src/operators/mcp/response/event-store.ts'

test('stored reply bytes are bounded over all replies', () => {
  const kept = new ReplayBudget(10)
  assert.ok(kept.reserve(6))
  assert.ok(!kept.reserve(5))
  assert.ok(kept.reserve(4))
  kept.release(6)
  assert.ok(kept.reserve(6))
})
