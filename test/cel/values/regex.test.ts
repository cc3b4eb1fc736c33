import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { beginEvaluation, spentUnits } from '../../../src/cel/engine/cost-meter.ts'
import { constantPattern, matches } from '../../../src/cel/values/regex.ts'

const isNative = (source: string): boolean => constantPattern(source).native !== undefined

test('regular expressions', async (t) => {
  await t.test('run in the fast engine only if they are provably linear there, with the same meaning', () => {
    for (const source of ['^/v[0-9]+/users/[a-z]+$', '^/api', '^$', '^a{1,3}b?', '^\\d+-\\w+$', '^(a|b)/c'])
      assert.equal(isNative(source), true, source)
    for (const source of [
      'chat$',
      'a',
      '^(a+)+$',
      '^(a|a?)+$',
      '^[^/]+$',
      '^.*$',
      '^\\s',
      '^é',
      '^a\\.b$|c',
      '^[]a]$',
    ])
      assert.equal(isNative(source), false, source)
  })

  await t.test('find what RE2 finds, in either engine', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        '/',
        '-',
        '\\.',
        '.',
        '\\d',
        '\\w',
        '\\s',
        '[a-c]',
        '[0-9_]',
        '[^a]',
        '[]a]',
        '[a\\]]',
        'é',
      ],
      ...['(a|b)', '(ab)', '(?:a)', '$', '^', '|', '\\$', '\\-', '\\b'],
    )
    const quantified = fc
      .tuple(piece, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?'))
      .map((parts) => parts.join(''))
    const source = fc
      .tuple(fc.constantFrom('^', '^', ''), fc.array(quantified, { maxLength: 6 }), fc.constantFrom('$', ''))
      .map(([start, pieces, end]) => start + pieces.join('') + end)
    const text = fc
      .array(
        fc.constantFrom(
          'a',
          'b',
          'c',
          '/',
          '-',
          '.',
          '1',
          '_',
          ' ',
          '\n',
          '\r',
          '\u2028',
          'é',
          '😀',
          ']',
          '$',
        ),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(''))
    let native = 0
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 8 }), (one, texts) => {
        let re2: RE2JS
        try {
          re2 = RE2JS.compile(one)
        } catch {
          return
        }
        const pattern = constantPattern(one)
        if (pattern.native) native++
        for (const each of texts) {
          beginEvaluation()
          assert.equal(matches(pattern, each), re2.test(each), `${one} in ${JSON.stringify(each)}`)
        }
      }),
      { numRuns: 6_000, seed: 7 },
    )
    assert.ok(native > 400, `${native} were native`)
  })

  await t.test('are charged in proportion to the text, for any pattern', () => {
    const spent = (source: string, length: number): number => {
      beginEvaluation()
      matches(constantPattern(source), `${'a'.repeat(length)}!`)
      return spentUnits()
    }
    for (const source of ['(a+)+$', '(a|aa)+$', '^(a|a?)+$', '(.*a){20}$', '^a*b$', 'x*y*z*'])
      assert.ok(spent(source, 40_000) <= 4 * spent(source, 10_000) + 4, source)
  })
})
