import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStrictJson } from '../../../src/protocols/json/strict-json.ts'

const good: readonly string[] = [
  '{}',
  '[]',
  'null',
  '"a"',
  '1e3',
  '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}',
  '{"a":"a","b":["a","a","{","\\"","}"],"c":"a\\\\"}',
  ' { "a" : [ ] , "b" : { } } ',
  '{"\\u0061":1,"b":2}',
  '"\\ud83d\\ude00"',
  '{"__proto__":1}',
]

for (const text of good)
  test(`accepts ${text}`, () => {
    assert.deepEqual(parseStrictJson(text), { value: JSON.parse(text) as unknown })
  })

const bad: readonly (readonly [string, string])[] = [
  ['', 'is not JSON'],
  ['{"a":1', 'is not JSON'],
  ['{"a":1}x', 'is not JSON'],
  ["{'a':1}", 'is not JSON'],
  ['\ufeff{}', 'is not JSON'],
  ['{"a":NaN}', 'is not JSON'],
  ['{"a":1,"a":1}', 'contains the name "a" twice'],
  ['{"a":1,"\\u0061":2}', 'contains the name "a" twice'],
  ['{"b":{"a":1,"c":[],"a":2}}', 'contains the name "a" twice'],
  ['[{"a":[{}],"a":2}]', 'contains the name "a" twice'],
  ['{"__proto__":1,"__proto__":2}', 'contains the name "__proto__" twice'],
  ['{"":1,"":2}', 'contains the name "" twice'],
  ['"\\ud83d"', 'contains half of a surrogate pair'],
  ['{"\\udc00":1}', 'contains half of a surrogate pair'],
  ['['.repeat(33) + ']'.repeat(33), 'is nested deeper than 32 levels'],
]

for (const [text, problem] of bad)
  test(`refuses ${text}`, () => {
    assert.deepEqual(parseStrictJson(text), { problem })
  })

test('accepts exactly the maximum depth', () => {
  assert.ok('value' in parseStrictJson('['.repeat(32) + ']'.repeat(32)))
})
