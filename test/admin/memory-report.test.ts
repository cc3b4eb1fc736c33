import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryReport } from '../../src/admin/memory/memory-report.ts'

const sources = {
  ports: { active: [], exchangesInFlight: 3 },
  mcp: { statusRegistry: { sessions: new Map([['tools', 2]]) }, streams: { size: 1 } },
}

test('the memory of several processes is their sum', async () => {
  const report = memoryReport(sources)
  const one = await report.collect()
  assert.deepEqual(report.merge([one]), one)
  assert.deepEqual(structuredClone(one), one)
  const both = report.merge([one, { ...one, mcp: { sessions: { tools: 1, more: 4 }, programs: { p: 1 } } }])
  assert.deepEqual([both.processes, both.exchanges, both.rssBytes], [2, 6, one.rssBytes * 2])
  assert.deepEqual(both.mcp, { sessions: { tools: 3, more: 4 }, programs: { p: 1 } })
  assert.equal(both.v8.spaces.length, one.v8.spaces.length)
  const used = ({ v8 }: typeof one) => v8.spaces.find(({ name }) => name === 'old_space')?.usedBytes
  assert.equal(used(both), (used(one) ?? 0) * 2)
  assert.equal(report.merge([one, { ...one, pssBytes: null }]).pssBytes, null)
})
