import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  agreedOn,
  allowsBatches,
  allowsPriming,
  isModern,
  isRevision,
  legacyRevisionFor,
  lowest,
  newestLegacy,
  newestModern,
  revisions,
} from '../../../src/protocols/mcp/revisions.ts'

test('MCP revisions', async (t) => {
  await t.test('are these, oldest first', () => {
    assert.deepEqual(revisions, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    assert.deepEqual([newestLegacy, newestModern], ['2025-11-25', '2026-07-28'])
    assert.ok(isRevision('2025-06-18') && !isRevision('2025-06-19') && !isRevision(''))
  })

  await t.test('have a handshake until 2025-11-25, and one has batches', () => {
    assert.deepEqual(revisions.filter(isModern), ['2026-07-28'])
    assert.ok(isModern('2027-01-01') && !isModern('2025-01-01'))
    assert.deepEqual(revisions.filter(allowsBatches), ['2025-03-26'])
    assert.deepEqual(revisions.filter(allowsPriming), ['2025-11-25', '2026-07-28'])
  })

  await t.test('are negotiated at most up to the requested one', () => {
    assert.equal(agreedOn('2025-06-18', ['2025-11-25', '2025-06-18']), '2025-06-18')
    assert.equal(agreedOn('2025-06-18', ['2025-11-25', '2024-11-05']), '2024-11-05')
    for (const nothing of [[], ['2026-07-28'], ['1.0'], [undefined], [5], ['2024-10-07']])
      assert.equal(agreedOn('2025-03-26', nothing), '2025-03-26')
  })

  await t.test('are negotiated in a handshake as requested, or as the newest with a handshake', () => {
    assert.deepEqual(['2024-11-05', '2025-11-25', '2026-07-28', '1.0', ''].map(legacyRevisionFor), [
      '2024-11-05',
      '2025-11-25',
      '2025-11-25',
      '2025-11-25',
      '2025-11-25',
    ])
  })

  await t.test('have a minimum', () => {
    assert.equal(lowest(['2025-06-18', '2024-11-05', '2025-11-25']), '2024-11-05')
    assert.equal(lowest([]), undefined)
  })
})
