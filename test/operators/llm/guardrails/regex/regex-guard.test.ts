import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RegexRule } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { guardOf, inPieces, maskOf, rejection, verdictOf } from './guard-of.ts'
import { cpuTimeMs } from '../../../../support/cpu-time.ts'

const masks = (rules: readonly RegexRule[], pairs: Readonly<Record<string, string>>) => {
  const guard = guardOf(rules)
  assert.deepEqual(Object.fromEntries(Object.keys(pairs).map((text) => [text, maskOf(guard, text)])), pairs)
}

test('the regex guard', async (t) => {
  await t.test('masks social security numbers', () => {
    masks([{ builtin: 'ssn' }], {
      'mine is 123-45-6789.': 'mine is <SSN>.',
      '123.45.6789 123 45 6789 123456789': '<SSN> <SSN> <SSN>',
      '12345-6789, 123-456789': '<SSN>, <SSN>',
      '1234567890 a123456789 123-45-67890': '1234567890 a123456789 123-45-67890',
    })
  })

  await t.test('masks what looks like a credit card', () => {
    masks([{ builtin: 'creditCard', luhn: false }], {
      '4111 1111 1111 1111': '<CREDIT_CARD>',
      '4111-1111-1111-1112, 5500000000000004': '<CREDIT_CARD>, <CREDIT_CARD>',
      '3782 822463 10005 or 6011111111111117': '<CREDIT_CARD> or <CREDIT_CARD>',
      '2111 1111 1111 1111, 5600 0000 0000 0000': '2111 1111 1111 1111, 5600 0000 0000 0000',
    })
  })

  await t.test('masks only credit cards whose check digit is right if that is configured', () => {
    masks([{ builtin: 'creditCard', luhn: true }], {
      '4111 1111 1111 1111': '<CREDIT_CARD>',
      '4111 1111 1111 1112': '4111 1111 1111 1112',
      '1234 4111 1111 1111 1111': '1234 <CREDIT_CARD>',
      '378282246310005': '<CREDIT_CARD>',
    })
  })

  await t.test('masks phone numbers that exist', () => {
    masks([{ builtin: 'phoneNumber' }], {
      'call (415) 555-2671.': 'call <PHONE_NUMBER>.',
      '+44 20 7946 0958': '<PHONE_NUMBER>',
      '020 7946 0958': '<PHONE_NUMBER>',
      '+49 30 901820, 3 times': '<PHONE_NUMBER>, 3 times',
      '+972 50 234 5678': '<PHONE_NUMBER>',
      '+91 98765 43210': '<PHONE_NUMBER>',
      '+55 11 91234-5678': '<PHONE_NUMBER>',
      'order 12345 415-555-2671': 'order 12345 <PHONE_NUMBER>',
      '1234567': '1234567',
      '+1 111 111 1111': '+1 111 111 1111',
      'on 2024-01-01, 4111 1111 1111 1111': 'on 2024-01-01, 4111 1111 1111 1111',
      '3.14159265358979323846264338327950288': '3.14159265358979323846264338327950288',
    })
  })

  await t.test('masks mail addresses', () => {
    masks([{ builtin: 'email' }], {
      'bob.b+x@mail.example.com, please': '<EMAIL_ADDRESS>, please',
      '<a@b.c><d_e@f-g.h>': '<<EMAIL_ADDRESS>><<EMAIL_ADDRESS>>',
      'a@b, @b.c and a @b.c': 'a@b, @b.c and a @b.c',
      'a@b@c.de': 'a@<EMAIL_ADDRESS>',
    })
  })

  await t.test('masks Canadian social insurance numbers', () => {
    masks([{ builtin: 'caSin' }], {
      '046 454 286, 046-454-286, 046454286': '<CA_SIN>, <CA_SIN>, <CA_SIN>',
      '046 4542 86': '046 4542 86',
    })
  })

  await t.test('masks custom patterns, with the flags and the Unicode of RE2', () => {
    masks([{ pattern: '(?i)project \\pL+' }], { 'PROJECT Überraum!': '<masked>!' })
    masks([{ pattern: '(?U)"(.*)"' }], { '"a" and "b"': '<masked> and <masked>' })
  })

  await t.test('applies its rules in order, each to the result of the one before it', () => {
    masks([{ builtin: 'ssn' }, { pattern: 'the <SSN>' }, { pattern: 'asked' }], {
      'the 123-45-6789 123-45-6789': '<m<masked>> <SSN>',
    })
  })

  await t.test('ignores empty matches', () => {
    masks([{ pattern: 'x*' }], { axxb: 'a<masked>b', ab: 'ab' })
  })

  await t.test(
    'lets everything pass where nothing matches, and gives back every text where something does',
    () => {
      const guard = guardOf([{ builtin: 'email' }])
      assert.equal(verdictOf(guard, 'a', 'b'), undefined)
      assert.deepEqual(verdictOf(guard, 'a', 'x@y.z', ''), {
        action: 'mask',
        texts: ['a', '<EMAIL_ADDRESS>', ''],
      })
    },
  )

  await t.test('rejects what matches one of its rules', () => {
    const guard = guardOf([{ builtin: 'email' }, { pattern: 'secret' }], 'reject')
    assert.deepEqual(verdictOf(guard, 'a', 'a secret'), { action: 'reject', rejection })
    assert.equal(verdictOf(guard, 'a', 'b'), undefined)
    const follower = guard.follow?.()
    assert.deepEqual([follower?.whole('a secret'), follower?.rejection], ['reject', rejection])
  })

  await t.test('explains what is wrong with a pattern', () => {
    assert.throws(() => guardOf([{ pattern: 'a(' }]), /error parsing regexp: missing closing \)/)
    assert.throws(() => guardOf([{ pattern: '(a)\\1' }]), /error parsing regexp: invalid escape sequence/)
  })

  await t.test('has a verdict soon, whatever the text', () => {
    const hostile = [
      'a'.repeat(1_000_000),
      'a@'.repeat(500_000),
      'secret'.repeat(20_000),
      '1 '.repeat(20_000),
    ]
    const rules: readonly RegexRule[] = [
      { builtin: 'email' },
      { builtin: 'phoneNumber' },
      { pattern: '(a+)+$|(a|aa)+b' },
      { pattern: 'secret(?:.*end)?' },
    ]
    for (const rule of rules)
      for (const text of hostile) {
        const began = cpuTimeMs()
        inPieces(guardOf([rule]), [text])
        maskOf(guardOf([rule]), text)
        assert.ok(cpuTimeMs() - began < 5_000, JSON.stringify(rule))
      }
  })
})
