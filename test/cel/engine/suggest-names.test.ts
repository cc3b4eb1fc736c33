import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearNames } from '../../../src/cel/engine/suggest-names.ts'

test('suggested names', async (t) => {
  const near = (name: string) =>
    nearNames(name, ['path', 'method', 'headers', 'host', 'startsWith', 'lowerAscii'])

  await t.test('are those that differ by one typo, in any case', () => {
    assert.deepEqual(near('pth'), ['path'])
    assert.deepEqual(near('haeders'), ['headers'])
    assert.deepEqual(near('header'), ['headers'])
    assert.deepEqual(near('startswith'), ['startsWith'])
    assert.deepEqual(near('lowerASCII'), ['lowerAscii'])
  })

  await t.test('are none for an unrelated word', () => {
    assert.deepEqual(near('elephant'), [])
    assert.deepEqual(near('x'), [])
  })

  await t.test('are sorted by similarity, three at most', () => {
    assert.deepEqual(nearNames('aaab', ['aaba', 'aaab', 'aabb', 'aaac', 'aaad']), ['aaab', 'aaba', 'aabb'])
  })
})
