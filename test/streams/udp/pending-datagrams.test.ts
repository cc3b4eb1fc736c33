import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PendingBudget, PendingDatagrams } from '../../../src/streams/udp/pending-datagrams.ts'

test('datagrams that wait for an upstream', async (t) => {
  await t.test('are kept in their order, 16 of a session', () => {
    const pending = new PendingDatagrams(new PendingBudget())
    const added = Array.from({ length: 20 }, (_, index) => pending.add(Buffer.from([index])))
    assert.equal(added.filter(Boolean).length, 16)
    assert.deepEqual(
      pending.drain().map(([first]) => first),
      Array.from({ length: 16 }, (_, index) => index),
    )
    assert.deepEqual(pending.drain(), [])
  })

  await t.test('share a megabyte with those of other sessions, and give their part back', () => {
    const budget = new PendingBudget()
    const sessions = Array.from({ length: 20 }, () => new PendingDatagrams(budget))
    const large = Buffer.alloc(65_507)
    const kept = sessions.flatMap((session) => [session.add(large), session.add(large)]).filter(Boolean)
    assert.equal(kept.length, Math.floor(1_048_576 / 65_507))
    for (const session of sessions) session.drain()
    assert.equal(budget.leftBytes, 1_048_576)
  })
})
