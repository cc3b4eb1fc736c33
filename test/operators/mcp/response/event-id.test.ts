import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callKey, idInKey, ownerTokenInKey } from '../../../../src/operators/mcp/response/event-id.ts'

const LONG = 'x'.repeat(200)

test('the event key of a call', async (t) => {
  await t.test('contains the request id and the owner', () => {
    for (const id of [1, -1, 0.5, 'x', '', 'a/b.c', 'a.b.c.d']) {
      const key = callKey('n', id, 'kee-p_er')
      assert.deepEqual([idInKey(key), ownerTokenInKey(key)], [id, 'kee-p_er'], key)
    }
  })

  await t.test('contains only the owner if the request id is long', () => {
    const key = callKey('n', LONG, 'keeper')
    assert.equal(key, 'n..keeper')
    assert.deepEqual([idInKey(key), ownerTokenInKey(key)], [undefined, 'keeper'])
  })

  await t.test('contains no owner if there are no other replicas', () => {
    assert.deepEqual([callKey('n', 1), callKey('n', 1, ''), callKey('n', LONG)], ['n.MQ', 'n.MQ', 'n'])
    for (const key of ['', 'n', 'n.', 'n.MQ']) assert.equal(ownerTokenInKey(key), undefined, key)
  })

  await t.test('is invalid with additional data', () => {
    assert.equal(idInKey('n.MQ.keeper.more'), undefined)
  })
})
