import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/cel/context/headers-view.ts'
import { keyExpression } from '../../../src/config/compile/expressions.ts'
import { exchange } from '../../../src/testing/index.ts'

test('keyExpression', async (t) => {
  const keyOf = (value: unknown) => keyExpression(() => ({ value }))(exchange())

  await t.test('leaves texts and absent values unchanged', () => {
    for (const value of ['a', null, undefined]) assert.deepEqual(keyOf(value), { value })
    assert.deepEqual(keyExpression(() => ({ error: 'no such key' }))(exchange()), { error: 'no such key' })
  })

  await t.test('distinguishes numbers, maps and credentials', () => {
    const values = [1n, 2n, { a: 1n }, { a: 2n }, new Secret('k-one'), new Secret('k-two')]
    const keys = values.map((value) => (keyOf(value) as { value: unknown }).value)
    assert.ok(keys.every((key) => typeof key === 'string'))
    assert.equal(new Set(keys).size, values.length)
    assert.deepEqual(keyOf(new Secret('k-one')), { value: keys[4] })
  })
})
