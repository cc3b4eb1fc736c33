import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StdioCalls } from '../../../../src/upstream/mcp/stdio/pending-calls.ts'

const logged = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data: 'secret of somebody' },
} as const

test('a message without a call id', async (t) => {
  const heardBy = (isShared: boolean, callers: number): string[] => {
    const heard: string[] = []
    const calls = new StdioCalls(isShared)
    for (let i = 0; i < callers; i++)
      calls.begin(
        { method: 'tools/call' },
        { onMessage: () => heard.push(`caller ${i}`), reply: () => undefined, fail: () => undefined },
      )
    calls.route(logged, () => heard.push('nobody in particular'))
    return heard
  }
  await t.test('belongs to the youngest call of the only client', () => {
    assert.deepEqual(heardBy(false, 2), ['caller 1'])
  })
  await t.test('belongs to the only call if clients share a server', () => {
    assert.deepEqual(heardBy(true, 1), ['caller 0'])
  })
  await t.test('belongs to none of several callers, who must be isolated', () => {
    assert.deepEqual(heardBy(true, 2), ['nobody in particular'])
  })
})
