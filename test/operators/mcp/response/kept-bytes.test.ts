import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptBytes } from '../../../../../src/operators/backend/mcp/answer/kept-bytes.ts'

test('what is kept of answers is bounded over all of them', () => {
  const kept = new KeptBytes(10)
  assert.ok(kept.take(6))
  assert.ok(!kept.take(5))
  assert.ok(kept.take(4))
  kept.giveBack(6)
  assert.ok(kept.take(6))
})
