import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pickMembers } from '../../../src/protocols/json/pick-members.ts'

const NAMES = ['a', 'usage', 'model']

test('picked members of an object', async (t) => {
  await t.test('are those that JSON.parse finds', () => {
    const name = fc.oneof(fc.constantFrom(...NAMES, 'models', 'usag', '__proto__'), fc.string())
    // V8 13's parser may return the name "\\" for "\"" if it has seen that before, so no field has that name here.
    const isSafe = (text: string) => !text.includes('"\\\\":')
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })), {
          selector: ([of]) => of,
        }),
        fc.constantFrom(undefined, 1, '\t', '\r\n  '),
        (members, space) => {
          const text = JSON.stringify(Object.fromEntries(members), null, space)
          fc.pre(isSafe(text))
          const whole = JSON.parse(text) as Record<string, unknown>
          const wanted = NAMES.filter((one) => Object.hasOwn(whole, one))
          assert.deepEqual(
            pickMembers(text, NAMES),
            Object.fromEntries(wanted.map((one) => [one, whole[one]])),
          )
        },
      ),
    )
  })

  await t.test('exclude nested ones', () => {
    const text = '{"x":{"usage":1},"y":["usage",{"usage":2}],"z":"\\"usage\\":3,","w":"usage","usage":4}'
    assert.deepEqual(pickMembers(text, NAMES), { usage: 4 })
    assert.deepEqual(pickMembers('{"x":{"usage":1}}', NAMES), {})
  })

  await t.test('have the last of repeated values, like JSON.parse', () => {
    assert.deepEqual(pickMembers('{"a":1,"a":2}', NAMES), { a: 2 })
  })

  await t.test('are read however deep and numerous others are', () => {
    const list = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ '"': [i, '\\', '}]'] })))
    assert.deepEqual(pickMembers(`{"list":${list},"a":1}`, NAMES), { a: 1 })
    assert.equal(pickMembers(`{"deep":${'['.repeat(1_000_000)}`, NAMES), undefined)
  })
})

for (const text of [
  '',
  ' ',
  '[]',
  '"a"',
  '{',
  '{"a',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{"a":1}{}',
  '{a:1}',
])
  test(`a text that is not an object has no members: ${text}`, () => {
    assert.equal(pickMembers(text, NAMES), undefined)
  })
