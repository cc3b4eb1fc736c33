import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packTexts } from '../../../../../src/operators/llm/guardrails/services/text-chunks.ts'

const size = { limit: 10, overlap: 3 }

test('text chunks', async (t) => {
  await t.test('join texts as long as they fit', () => {
    assert.deepEqual(packTexts(['one', 'two', 'three'], size), ['one\ntwo', 'three'])
    assert.deepEqual(packTexts(['12345', '6789', 'x'], size), ['12345\n6789', 'x'])
    assert.deepEqual(packTexts(['0123456789', 'x'], size), ['0123456789', 'x'])
    assert.deepEqual(packTexts([], size), [])
  })

  await t.test('omit blank texts', () => {
    assert.deepEqual(packTexts(['', 'one', ' \n', 'two', ''], size), ['one\ntwo'])
  })

  await t.test('contain every part of a long text that is as long as the overlap', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz'
    const made = packTexts([text], size)
    assert.deepEqual(made, ['abcdefghij', 'hijklmnopq', 'opqrstuvwx', 'vwxyz'])
    for (let at = 0; at + 3 <= text.length; at++)
      assert.ok(
        made.some((part) => part.includes(text.slice(at, at + 3))),
        text.slice(at, at + 3),
      )
  })

  await t.test('count characters and never cut one', () => {
    assert.deepEqual(packTexts(['😀'.repeat(10)], size), ['😀'.repeat(10)])
    const made = packTexts(['😀'.repeat(11)], size)
    assert.deepEqual(made, ['😀'.repeat(10), '😀'.repeat(4)])
    assert.deepEqual(packTexts(['😀'.repeat(4), '😀'.repeat(5)], size), [
      `${'😀'.repeat(4)}\n${'😀'.repeat(5)}`,
    ])
  })
})
