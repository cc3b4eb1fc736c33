import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { McpServerStatus } from '../../../src/model/mcp/mcp-status.ts'
import { McpStatusRegistry } from '../../../src/upstream/mcp/status-registry.ts'

const well: McpServerStatus = {
  state: 'well',
  error: undefined,
  sinceMs: 1,
  revision: '2025-11-25',
  legacy: true,
  modern: undefined,
  requests: 3,
  failures: 0,
  latencyMs: 12,
}

const listed = (status: McpServerStatus, target = 'files', children?: () => number) => ({
  backend: 'b',
  target,
  status: () => status,
  children,
})

test('the status registry of MCP servers', async (t) => {
  await t.test('reports the current health', () => {
    const book = new McpStatusRegistry()
    let children = 1
    book.listTarget(listed(well, 'files', () => children))
    children = 2
    assert.deepEqual(book.targets, [{ ...well, backend: 'b', target: 'files', children: 2 }])
  })

  await t.test('uses the latest list, until its owner is gone', async () => {
    const book = new McpStatusRegistry()
    book.listTarget(listed(well))
    const newer = book.listTarget(listed({ ...well, state: 'failing', error: 'gone' }))
    assert.deepEqual(
      book.targets.map(({ state }) => state),
      ['failing'],
    )
    await newer.close()
    assert.equal(book.targets[0]?.state, 'well')
  })

  await t.test('adds up the sessions of a backend', async () => {
    const book = new McpStatusRegistry()
    const before = book.listSessions('b', () => 2)
    book.listSessions('b', () => 3)
    book.listSessions('c', () => 0)
    assert.deepEqual(
      [...book.sessions],
      [
        ['b', 5],
        ['c', 0],
      ],
    )
    await before.destroy()
    assert.deepEqual(
      [...book.sessions],
      [
        ['b', 3],
        ['c', 0],
      ],
    )
  })
})
