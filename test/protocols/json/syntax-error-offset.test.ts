import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { breakInJson } from '../../../src/protocols/json/syntax-error-offset.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('the offset of a JSON syntax error', async (t) => {
  await t.test('is the first invalid character', () => {
    const cases: readonly (readonly [string, number | undefined])[] = [
      ['{"a": [1, -2.5e+3, "\\u00e9\\n", true, false, null, {}], "b": []}', undefined],
      [' \n\t\r1 ', undefined],
      ['{a', 1],
      ['{"a":1,}', 7],
      ['[1,]', 3],
      ['[,1]', 1],
      ['[1 2]', 3],
      ['{"a" 1}', 5],
      ['[}', 1],
      ['1 2', 2],
      ['01', 1],
      ['nul', 0],
      ['"a\u0001"', 2],
      ['"a\\x"', 2],
      ['\u00a01', 0],
    ]
    for (const [text, at] of cases) assert.equal(breakInJson(text), at, text)
  })

  await t.test('is the end if something is missing', () => {
    for (const text of ['', '{', '[1', '{"a"', '{"a":', '"abc'])
      assert.equal(breakInJson(text), text.length, text)
  })

  await t.test('exists for exactly the texts that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      ...Array.from('{}[]:,"\\ 01-.eE+'),
      'true',
      'null',
      '"a"',
      '\n',
      '\u0000',
      'é',
      'u00e9',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        assert.equal(breakInJson(text) === undefined, isJson(text), text)
      }),
      { numRuns: 5000 },
    )
    fc.assert(fc.property(fc.json(), (text) => breakInJson(text) === undefined))
  })

  await t.test('is behind the longest valid prefix', () => {
    const strays = fc.constantFrom('}', ']', ',', ':', '\u0000', 'x')
    fc.assert(
      fc.property(fc.json(), fc.nat(), strays, (json, place, stray) => {
        const at = place % (json.length + 1)
        const text = json.slice(0, at) + stray + json.slice(at)
        const found = breakInJson(text)
        if (found === undefined) return isJson(text)
        const before = text.slice(0, found)
        return isJson(before) || breakInJson(before) === before.length
      }),
    )
  })

  await t.test('is found in deep and in long texts', () => {
    assert.equal(breakInJson('['.repeat(1_000_000)), 1_000_000)
    assert.equal(breakInJson(`"${'a'.repeat(5_000_000)}"`), undefined)
    assert.equal(breakInJson(`"${'\\n'.repeat(1_000_000)}\\q"`), 2_000_001)
  })
})
