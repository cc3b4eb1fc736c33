import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageSumsReader } from '../../../../src/sinks/metrics/process/page-sums.ts'

test('callers of one second share one reading of the pages of the process', async () => {
  let nowMs = 0
  const reader = new PageSumsReader(() => nowMs)
  const first = reader.read()
  nowMs = 1_000
  assert.equal(reader.read(), first)
  const { pssBytes = 0, swapBytes } = await first
  assert.ok(process.platform === 'linux' ? pssBytes > 1e6 && swapBytes !== undefined : pssBytes === 0)
  nowMs = 1_001
  assert.notEqual(reader.read(), first)
})

test('other systems than Linux do not report the pages of a process', async () => {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'darwin' })
  try {
    assert.deepEqual(await new PageSumsReader().read(), {})
  } finally {
    Object.defineProperty(process, 'platform', { value: platform })
  }
})
