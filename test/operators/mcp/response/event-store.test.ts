import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReplayBudget, ReplayBuffer } from '../../../../src/operators/mcp/response/event-store.ts'

const long = (letter: string): string => letter.repeat(400_000)

test('stored events of a reply', async (t) => {
  await t.test('are kept in order, and replayed from any of them', () => {
    const events = new ReplayBuffer(new ReplayBudget())
    for (const json of ['one', 'two', 'three']) assert.equal(events.add(json), true)
    assert.equal(events.count, 3)
    assert.deepEqual(events.after(0), ['one', 'two', 'three'])
    assert.deepEqual(events.after(2), ['three'])
    // A replay from a later event does not drop earlier ones, which other clients may lack.
    assert.deepEqual(events.after(1), ['two', 'three'])
    assert.deepEqual(events.after(9), [])
  })

  await t.test('that were delivered are evicted for new ones, and no others', () => {
    const events = new ReplayBuffer(new ReplayBudget())
    assert.deepEqual(
      ['a', 'b', 'c'].map((letter) => events.add(long(letter))),
      [true, true, false],
    )
    events.after(1)
    assert.equal(events.add(long('c')), true)
    assert.equal(events.count, 3)
    assert.equal(events.hasAllAfter(0), false)
    assert.equal(events.hasAllAfter(1), true)
    assert.deepEqual(events.after(1), [long('b'), long('c')])
    assert.equal(events.add(long('d')), false)
  })

  await t.test('count towards the common limit until they are removed or evicted', () => {
    const all = new ReplayBudget(1_000_000)
    const mine = new ReplayBuffer(all)
    const other = new ReplayBuffer(all)
    assert.equal(mine.add(long('a')), true)
    assert.equal(other.add(long('b')), true)
    assert.equal(mine.add(long('c')), false)
    mine.after(1)
    assert.equal(mine.add(long('c')), true)
    assert.equal(other.add(long('d')), false)
    mine.clear()
    assert.equal(other.add(long('d')), true)
  })

  await t.test('may be long if configured, within the common limit', () => {
    const events = new ReplayBuffer(new ReplayBudget(3_000_000))
    assert.equal(events.add('x'.repeat(2_000_000)), false)
    assert.equal(events.add('x'.repeat(2_000_000), true), true)
    assert.equal(events.add('x'.repeat(2_000_000), true), false)
  })
})
