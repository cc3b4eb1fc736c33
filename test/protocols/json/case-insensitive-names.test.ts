import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldCase } from '../../../src/protocols/json/fold-case.ts'
import { CaseInsensitiveNames } from '../../../src/protocols/json/case-insensitive-names.ts'

/** Letters that share their case folding with others, and some that do not. */
const letter = fc.constantFrom(
  ...Array.from('aAsS\u017fkK\u212azZ_0\u00e5\u212b\u00c5\u03c3\u03c2\u03a3\u00b5\u03bc'),
)

test('a case-insensitive name', async (t) => {
  await t.test('is equal under simple case folding', () => {
    const alike: readonly (readonly string[])[] = [
      ['model', 'Model', 'MODEL', 'mOdEl'],
      ['messages', 'me\u017f\u017fages', 'MESSAGE\u017f'],
      ['max_tokens', 'Max_To\u212aens'],
      ['\u03c3\u03c2', '\u03a3\u03a3', '\u03c3\u03c3'],
      ['stra\u00dfe', 'STRA\u1e9eE'],
      ['\u{10428}', '\u{10400}'],
    ]
    for (const names of alike) assert.deepEqual(new Set(names.map(foldCase)).size, 1, names.join(' '))
  })

  await t.test('differs if more than the case differs', () => {
    for (const [one, other] of [
      ['max_tokens', 'maxTokens'],
      ['stra\u00dfe', 'strasse'],
      ['\u0130', 'i'],
      ['a', '\u00e4'],
    ] as const)
      assert.notEqual(foldCase(one), foldCase(other))
  })

  await t.test('agrees with case-insensitive regular expressions', () => {
    fc.assert(
      fc.property(letter, letter, (one, other) => {
        assert.equal(foldCase(one) === foldCase(other), new RegExp(`^${other}$`, 'iu').test(one))
      }),
    )
  })
})

test('known names', () => {
  const known = new CaseInsensitiveNames(['name', 'uri', 'inputSchema'])
  assert.equal(known.problemIn({ name: 1, uri: 2, inputSchema: 3, other: 4, Other: 5, names: 6 }), undefined)
  assert.equal(known.likeOf('inputschema'), 'inputSchema')
  assert.equal(known.likeOf('inputSchema'), undefined)
  assert.equal(known.problemIn({ name: 1, Name: 2 }), 'the member "Name" is "name" in another letter case')
  assert.equal(
    known
      .problemIn(JSON.parse('{"\\u004eame":2}') as Record<string, unknown>)
      ?.startsWith('the member "Name"'),
    true,
  )
})
