import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTarget } from '../../../src/operators/backend/fixed-target.ts'
import { exchange, operatorLaws, run } from '../../../src/testing/index.ts'

test('set-target', async (t) => {
  const operator = setTarget({ path: '/a%2Fb', query: '?q=1' })
  await t.test('obeys the laws of operators', () => operatorLaws(operator))

  await t.test('sends every request to the same path and query', () => {
    for (const path of ['/', '/x/y', '/a/b'])
      assert.equal(run(operator, exchange({ path: `${path}?q=2&r=3` })).request.target, '/a%2Fb?q=1')
  })
})
