import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RewriteLimit } from '../../../src/controller/sinks/rewrite-limit.ts'

test('the same thing is written ten times at once, and then once in ten seconds', () => {
  let now = 0
  const limit = new RewriteLimit<object>(() => now)
  const item = {}
  const other = {}
  for (let write = 0; write < 10; write++) assert.equal(limit.admit(item), undefined)
  assert.equal(limit.admit(item)?.reason, 'Contended')
  assert.equal(limit.admit(other), undefined)
  now += 4_000
  assert.equal(limit.admit(item)?.retryAfterMs, 6_000)
  now += 6_000
  assert.equal(limit.admit(item), undefined)
  assert.ok(limit.admit(item))
})
