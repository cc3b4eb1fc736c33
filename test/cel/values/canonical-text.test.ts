import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/cel/context/headers-view.ts'
import { identifyingText } from '../../../src/cel/values/canonical-text.ts'

test('the canonical text of a value', async (t) => {
  await t.test('is equal only for equal values', () => {
    const values = [[1n], ['1'], [2n], [{ a: 1n }], [{ a: 2n }], [[1n, 2n]], [1n, 2n], [null]]
    assert.equal(new Set(values.map(identifyingText)).size, values.length)
    assert.equal(identifyingText([{ a: [1n] }]), identifyingText([{ a: [1n] }]))
  })

  await t.test('distinguishes credentials at any depth, and contains none', () => {
    const texts = ['k-one', 'k-two'].flatMap((key) => [
      identifyingText([new Secret(key)]),
      identifyingText([{ of: [new Secret(key)] }]),
    ])
    assert.equal(new Set(texts).size, 4)
    assert.equal(identifyingText([new Secret('k-one')]), texts[0])
    assert.doesNotMatch(texts.join(), /k-/)
  })
})
