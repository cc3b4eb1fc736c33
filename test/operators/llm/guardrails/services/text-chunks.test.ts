import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portions } from '../../../src/operators/guard/portions.ts'

const size = { limit: 10, overlap: 3 }

test('portions', async (t) => {
  await t.test('join texts as long as they fit', () => {
    assert.deepEqual(portions(['one', 'two', 'three'], size), ['one\ntwo', 'three'])
    assert.deepEqual(portions(['12345', '6789', 'x'], size), ['12345\n6789', 'x'])
    assert.deepEqual(portions(['0123456789', 'x'], size), ['0123456789', 'x'])
    assert.deepEqual(portions([], size), [])
  })

  await t.test('leave blank texts out', () => {
    assert.deepEqual(portions(['', 'one', ' \n', 'two', ''], size), ['one\ntwo'])
  })

  await t.test('hold every stretch of a long text that is as long as the overlap', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz'
    const made = portions([text], size)
    assert.deepEqual(made, ['abcdefghij', 'hijklmnopq', 'opqrstuvwx', 'vwxyz'])
    for (let at = 0; at + 3 <= text.length; at++)
      assert.ok(
        made.some((part) => part.includes(text.slice(at, at + 3))),
        text.slice(at, at + 3),
      )
  })

  await t.test('count characters and never cut one', () => {
    assert.deepEqual(portions(['😀'.repeat(10)], size), ['😀'.repeat(10)])
    const made = portions(['😀'.repeat(11)], size)
    assert.deepEqual(made, ['😀'.repeat(10), '😀'.repeat(4)])
    assert.deepEqual(portions(['😀'.repeat(4), '😀'.repeat(5)], size), [
      `${'😀'.repeat(4)}\n${'😀'.repeat(5)}`,
    ])
  })
})
