import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ObjectMembers } from '../../../../src/protocols/llm/members/object-members.ts'

test('the members of an object', async (t) => {
  await t.test('are set, deleted and renamed', () => {
    const members = new ObjectMembers({ a: 1, b: 2, c: 3 })
    members.set('a', [1])
    members.delete('b')
    members.rename('c', 'd')
    members.rename('x', 'a')
    members.set('e', undefined)
    assert.deepEqual(members.object, { a: [1], d: 3 })
    assert.deepEqual([members.has('a'), members.has('b'), members.get('d')], [true, false, 3])
  })

  await t.test('replace others when they are renamed', () => {
    const members = new ObjectMembers({ a: 1, b: 2 })
    members.rename('a', 'b')
    members.rename('b', 'b')
    assert.deepEqual(members.object, { b: 1 })
  })

  await t.test('are own members only, whatever their names', () => {
    const members = new ObjectMembers({})
    assert.deepEqual([members.has('toString'), members.get('__proto__')], [false, undefined])
    members.set('__proto__', { polluted: true })
    assert.equal(JSON.stringify(members.object), '{"__proto__":{"polluted":true}}')
    assert.equal((members.object as { polluted?: boolean }).polluted, undefined)
  })
})
