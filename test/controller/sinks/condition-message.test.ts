import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionMessage } from '../../../src/controller/sinks/status/condition-message.ts'

test('messages are as long as the API server takes them, and of whole characters', () => {
  assert.equal(conditionMessage('x'.repeat(32_768)), 'x'.repeat(32_768))
  assert.equal(conditionMessage('x'.repeat(32_769)), `${'x'.repeat(32_767)}…`)
  assert.equal(conditionMessage('a\ud83d'), 'a\ufffd')
  const cut = conditionMessage(`x${'😀'.repeat(20_000)}`)
  assert.ok(cut.length === 32_768 && cut.isWellFormed())
})
