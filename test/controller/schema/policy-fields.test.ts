import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerValuesByName } from '../../../src/controller/schema/policy-fields.ts'

test('of headers whose names differ in case only, the first counts', () => {
  const headers = [
    { name: 'X-Team', value: 'first' },
    { name: 'x-other', value: 'a' },
    { name: 'x-team', value: 'second' },
    { name: '__proto__', value: 'b' },
  ]
  assert.deepEqual(Object.entries(headerValuesByName(headers)), [
    ['X-Team', 'first'],
    ['x-other', 'a'],
    ['__proto__', 'b'],
  ])
})
