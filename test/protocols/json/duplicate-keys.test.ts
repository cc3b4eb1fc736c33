import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatsNames } from '../../../src/protocols/json/duplicate-keys.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

test('duplicate keys', async (t) => {
  const repeating = [
    '{"a":1,"a":2}',
    '{"a":{},"a":[]}',
    ' [ 1 , { "b" : [ { "a" : 1 , "c" : "x" , "a" : 2 } ] } ] ',
    '{"messages":[{"role":"user","content":"a","content":"b"}]}',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"\u0061":1,"a":2}`,
    String.raw`{"/":1,"\/":2}`,
    String.raw`{"a\"":1,"b":"\\","a\u0022":2}`,
    String.raw`{"\uD83D\uDE00":1,"😀":2}`,
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"}","a":1}',
    '{"a":{"b":1},"c":[{}],"a":1}',
  ]
  for (const text of repeating)
    await t.test(`are found in ${text}`, () => {
      JSON.parse(text)
      assert.equal(repeatsNames(text), true)
    })

  const others = [
    '{}',
    '[]',
    '"a"',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a",{"b":1},"b"]}',
    String.raw`{"a":"\"a\":1,\"a\":2"}`,
    String.raw`{"a":"{\"a\":1,\"a\":2}"}`,
    String.raw`{"a\\":1,"a":2}`,
    '{"a":1,"A":2}',
    '{"constructor":1,"toString":2}',
  ]
  for (const text of others)
    await t.test(`are not found in ${text}`, () => {
      JSON.parse(text)
      assert.equal(repeatsNames(text), false)
    })

  await t.test('are searched in linear time', () => {
    const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`
    const escaped = `{"a":"${String.raw`\\\"`.repeat(300_000)}"}`
    const many = `{${Array.from({ length: 100_000 }, (_, i) => `"n${String(i)}":1`).join(',')}}`
    const from = cpuTimeMs()
    for (const text of [deep, escaped, many]) assert.equal(repeatsNames(text), false)
    // Quadratic time would be minutes.
    assert.ok(cpuTimeMs() - from < 10_000)
  })

  await t.test('may be searched in invalid JSON', () => {
    for (const text of [
      '',
      '"',
      '{"',
      '{"a',
      String.raw`{"a\"`,
      ']}',
      '{"a":1}}}',
      String.raw`{"\u00":1,"\u00":1}`,
      ',,,"',
    ])
      assert.equal(typeof repeatsNames(text), 'boolean')
  })
})
