import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textSlices } from '../../../../src/protocols/llm/token-count/text-slices.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'

const slices = (text: string): string[] => [...textSlices(text)]

test('slices of a text', async (t) => {
  await t.test('add up to the text', () => {
    for (const text of [
      '',
      'a',
      ' ',
      'a'.repeat(1000),
      ' '.repeat(1000),
      'word '.repeat(333),
      '😀'.repeat(500),
    ])
      assert.equal(slices(text).join(''), text)
    assert.deepEqual(slices(''), [])
  })

  await t.test('are at most 256 units long', () => {
    for (const text of ['a'.repeat(1000), ' '.repeat(1000), 'word '.repeat(333), `b${'😀'.repeat(500)}`])
      assert.ok(slices(text).every(({ length }) => length > 0 && length <= 256))
  })

  await t.test('begin with the space before a word, if any', () => {
    const cut = slices('word '.repeat(100))
    assert.equal(cut.length, 2)
    assert.ok(cut[1]?.startsWith(' word'))
  })

  await t.test('contain whole characters', () => {
    for (const slice of slices(`b${'😀'.repeat(500)}`)) assert.ok(slice.isWellFormed())
  })

  await t.test('are computed in linear time', () => {
    const began = cpuTimeMs()
    assert.equal(slices('x'.repeat(4_000_000)).length, 15_625)
    assert.ok(cpuTimeMs() - began < 2_000)
  })
})
