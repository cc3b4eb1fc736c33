import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editQuery } from '../../../src/operators/headers/query-parameters.ts'

test('editing a query', async (t) => {
  const cases: readonly (readonly [string, string, [string, string][], string[], string])[] = [
    ['stays as it was written', '?a=%31&b&&=c', [], [], '?a=%31&b&&=c'],
    ['loses every parameter of a name, however it is written', '?a=1&%61=2&b+c=3&x', [], ['a', 'b c'], '?x'],
    ['is empty without parameters', '?a=1', [], ['a'], ''],
    ['gets parameters where there were none', '', [['a b', 'c&d']], [], '?a+b=c%26d'],
    ['gets one in place of all of a name', '?a=1&b=%2f&a=2', [['a', '3']], [], '?b=%2f&a=3'],
    [
      'may get several of a name',
      '?a=1',
      [
        ['a', '2'],
        ['a', '3'],
      ],
      [],
      '?a=2&a=3',
    ],
  ]
  for (const [name, query, set, removed, expected] of cases)
    await t.test(name, () => assert.equal(editQuery(query, set, removed), expected))
})
