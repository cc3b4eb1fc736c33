import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import type { RegexRule } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { guardOf, inPieces, maskOf } from './guard-of.ts'

/** Fragments of matches, and fragments that almost match. */
const bits = [
  ...[
    '1',
    '12',
    '123',
    '4',
    '4111',
    '1111',
    '56',
    '6789',
    '123456789',
    '4111111111111111',
    '046',
    '454',
    '286',
  ],
  ...['-', ' ', '.', '(', ')', '+', '@', '_', '\n', ',', ' ', '\r\n', '\t'],
  ...['a', 'b', 'ab', 'aab', 'É', 'é', 'ſ', 'K', 'secret', 'end', 'bob@x.com', 'x.co', '123-45-6789'],
  ...['+1 415 555 2671', '(415) 555-2671', '020 7946 0958', '2024-01-01', '😀', '\ud83d', '\ude00', '👩‍🚀'],
]
const texts = fc.array(fc.constantFrom(...bits), { maxLength: 25 }).map((parts) => parts.join(''))
const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 12 })

const builtins: readonly RegexRule[] = [
  { builtin: 'ssn' },
  { builtin: 'creditCard', luhn: false },
  { builtin: 'creditCard', luhn: true },
  { builtin: 'phoneNumber' },
  { builtin: 'email' },
  { builtin: 'caSin' },
]
const patterns = [
  'a',
  'a+',
  'a+?',
  'a*',
  'a*?',
  'aab|a',
  'a|aab',
  '|a',
  'a+b|a',
  '\\bab\\b',
  '\\Bb',
  '^a|b$',
  '(?m)^a.*$',
  '\\Aa+|\\d\\z',
  '(?i)k|É',
  '(?i)[s-t]+',
  '(?s)secret.*?end',
  'secret(?:.*end)?',
  '(?:\\d+-)+\\d',
  '\\d{2,5}',
  '(?:ab)?(?:1(?:.b)?)?',
  '[^a-z]+a',
  '😀|\\pL+é',
  '.\\b.',
  '\\w+\\s+\\w+@',
  '(a|ab)(c|bcd)*b',
  '(?U)a+',
  '\\p{Greek}|\\x{1F600}+',
]

const sizes = { numRuns: 300 }
/** Matches up to this length are found wherever they are split. */
const HELD_LENGTH = 256

test('a text in pieces', async (t) => {
  for (const rule of [...builtins, ...patterns.map((pattern) => ({ pattern }))])
    await t.test(`becomes what the whole becomes: ${JSON.stringify(rule)}`, () => {
      const guard = guardOf([rule])
      fc.assert(
        fc.property(texts, cuts, (text, at) => {
          const pieces = piecesOf(text, at)
          const after = inPieces(guard, pieces)
          assert.equal(after.length, pieces.length)
          assert.equal(after.join(''), maskOf(guard, text))
        }),
        sizes,
      )
    })

  await t.test('becomes what the whole becomes through several rules', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...builtins, ...patterns.map((pattern) => ({ pattern }))), { maxLength: 4 }),
        texts,
        cuts,
        (rules, text, at) => {
          // Masks make texts longer, and of a text beyond the buffer limit more is masked.
          fc.pre(rules.every((_, i) => maskOf(guardOf(rules.slice(0, i + 1)), text).length <= HELD_LENGTH))
          const guard = guardOf(rules)
          const pieces = piecesOf(text, at)
          const after = inPieces(guard, pieces)
          assert.equal(after.length, pieces.length)
          assert.equal(after.join(''), maskOf(guard, text))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  await t.test('becomes the same in any pieces where matches exceed the buffer', () => {
    const fillers = [
      'k'.repeat(300),
      'a'.repeat(260),
      ' x'.repeat(150),
      'secret1'.repeat(50),
      'ab1-'.repeat(70),
    ]
    const long = fc
      .array(fc.constantFrom(...bits, ...fillers), { maxLength: 12 })
      .map((parts) => parts.join(''))
    const limitless = [
      ...patterns,
      'a[^@]*@|secret\\d+',
      '(?s)a.*b.*c|\\d+',
      '\\bsecret.*\\b(?:end)?',
      'k*a|1.*',
    ].map((pattern) => ({ pattern }))
    fc.assert(
      fc.property(
        fc.constantFrom(...builtins, ...limitless),
        long,
        fc.nat({ max: 40 }),
        (rule, text, size) => {
          const guard = guardOf([rule])
          const pieces = piecesOf(
            text,
            Array.from({ length: 200 }, (_, i) => i * (size + 1)),
          )
          const after = inPieces(guard, pieces)
          assert.equal(after.length, pieces.length)
          assert.equal(after.join(''), inPieces(guard, [text]).join(''))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  await t.test('is rejected if the whole is, and nothing of what matches has been released', () => {
    fc.assert(
      fc.property(fc.constantFrom(...builtins, { pattern: 'aab|a1' }), texts, cuts, (rule, text, at) => {
        const guard = guardOf([rule], 'reject')
        const follower = guard.follow?.()
        assert.ok(follower)
        let released = ''
        for (const piece of [...piecesOf(text, at), undefined]) {
          const now = piece === undefined ? follower.end() : follower.push(piece)
          if (now === 'reject') {
            const masked = maskOf(guardOf([rule]), text)
            assert.notEqual(masked, text)
            assert.ok(text.startsWith(released) && masked.startsWith(released))
            return
          }
          released += now.join('')
        }
        assert.equal(released, text)
        assert.equal(maskOf(guardOf([rule]), text), text)
      }),
      { numRuns: 1_000 },
    )
  })
})

test('a whole text', async (t) => {
  for (const pattern of patterns)
    await t.test(`is masked where RE2 finds matches: ${pattern}`, () => {
      const guard = guardOf([{ pattern }])
      const re2 = RE2JS.compile(pattern)
      fc.assert(
        fc.property(texts, (text) => {
          assert.equal(maskOf(guard, text), maskedBy(re2, text))
        }),
        sizes,
      )
    })
})

const maskedBy = (re2: RE2JS, text: string): string => {
  const matcher = re2.matcher(text)
  let masked = ''
  let done = 0
  while (matcher.find()) {
    if (matcher.end() === matcher.start()) continue
    masked += `${text.slice(done, matcher.start())}<masked>`
    done = matcher.end()
  }
  return masked + text.slice(done)
}

const piecesOf = (text: string, cuts: readonly number[]): string[] => {
  const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
  return at.slice(1).map((cut, i) => text.slice(at[i], cut))
}
