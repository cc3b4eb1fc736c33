import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesLabels } from '../../../src/controller/kinds/label-selector.ts'

test('all conditions of a selector must hold', () => {
  const labels = { app: 'cart', tier: 'web' }
  assert.equal(matchesLabels(labels, {}), true)
  assert.equal(matchesLabels(labels, { matchLabels: { app: 'cart', tier: 'web' } }), true)
  assert.equal(matchesLabels(labels, { matchLabels: { app: 'cart', tier: 'db' } }), false)
  const expression = (
    key: string,
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
    ...values: string[]
  ) => matchesLabels(labels, { matchExpressions: [{ key, operator, values }] })
  assert.deepEqual(
    [expression('app', 'In', 'x', 'cart'), expression('app', 'In', 'x'), expression('none', 'In', 'x')],
    [true, false, false],
  )
  assert.deepEqual(
    [expression('app', 'NotIn', 'cart'), expression('app', 'NotIn', 'x'), expression('none', 'NotIn', 'x')],
    [false, true, true],
  )
  assert.deepEqual([expression('app', 'Exists'), expression('none', 'Exists')], [true, false])
  assert.deepEqual([expression('app', 'DoesNotExist'), expression('none', 'DoesNotExist')], [false, true])
})

test('inherited properties are no labels', () => {
  for (const key of ['constructor', '__proto__', 'toString'])
    assert.equal(matchesLabels({}, { matchExpressions: [{ key, operator: 'Exists' }] }), false)
})
