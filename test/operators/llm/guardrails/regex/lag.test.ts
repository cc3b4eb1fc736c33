import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RegexRule } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import { guardOf, inPieces, maskOf } from './guard-of.ts'

/** What each piece releases, and what the end releases. */
const released = (
  rules: readonly RegexRule[],
  pieces: readonly string[],
  action: 'mask' | 'reject' = 'mask',
) => {
  const follower = guardOf(rules, action).follow?.()
  assert.ok(follower)
  return [...pieces.map((piece) => follower.push(piece)), follower.end()]
}

test('the lag of a regex guard in a stream', async (t) => {
  await t.test('is none for text that cannot begin a match', () => {
    const pieces = ['Hello', ' wor', 'ld, ', '😀', ' — so', ' it is', '']
    for (const rule of [{ builtin: 'ssn' }, { builtin: 'phoneNumber' }, { pattern: 'zebra\\d' }] as const)
      assert.deepEqual(released([rule], pieces), [...pieces.map((piece) => [piece]), []])
  })

  await t.test('lasts until what may begin a match does not any more', () => {
    assert.deepEqual(released([{ builtin: 'ssn' }], ['a 123', '-4', 'x', ' y']), [
      [],
      [],
      ['a 123', '-4', 'x'],
      [' y'],
      [],
    ])
  })

  await t.test('lasts one character after a match, and what makes it longer is removed at once', () => {
    assert.deepEqual(released([{ builtin: 'email' }], ['ask bo', 'b@x.', 'com', '.org', '!', ' ']), [
      [],
      [],
      ['ask <EMAIL_ADDRESS>', ''],
      [''],
      ['', '!'],
      [' '],
      [],
    ])
  })

  await t.test('keeps a mask in the piece in which its match begins', () => {
    assert.deepEqual(inPieces(guardOf([{ builtin: 'ssn' }]), ['a 12', '3-45', '', '-6789 b', 'c']), [
      'a <SSN>',
      '',
      '',
      ' b',
      'c',
    ])
  })

  await t.test('is none for matches without end, once they are one', () => {
    const pieces = Array.from({ length: 100 }, () => 'aaaaaaaaaa')
    // The last character is pending until the next one.
    assert.deepEqual(released([{ pattern: 'a+' }], pieces), [
      [],
      ['<masked>'],
      ...pieces.slice(2).map(() => ['']),
      [''],
    ])
    assert.equal(inPieces(guardOf([{ pattern: 'a+' }]), [...pieces, 'b']).join(''), '<masked>b')
  })

  await t.test(
    'is bounded for what may become a match: it is masked, up to where it ends or cannot go on',
    () => {
      const guard = guardOf([{ pattern: 'BEGIN[a-z ]*END' }])
      const key = 'k'.repeat(1_000)
      for (const size of [1, 7, 100, 5_000]) {
        const masked = (text: string) => inPieces(guard, cut(text, size)).join('')
        assert.equal(masked(`a BEGIN${key}END b`), 'a <masked> b')
        assert.equal(masked(`a BEGIN${key}. b`), 'a <masked>. b')
        assert.equal(masked(`a BEGIN${key}`), 'a <masked>')
        assert.equal(masked(`a BEGIN${'k'.repeat(200)}. b`), `a BEGIN${'k'.repeat(200)}. b`)
      }
      assert.equal(maskOf(guard, `a BEGIN${key}. b`), `a BEGIN${key}. b`)
      let held = 0
      const follower = guard.follow?.()
      for (const piece of cut(`BEGIN${key}`, 10)) {
        const now = follower?.push(piece)
        held += 1 - (now?.length ?? 0)
        assert.ok(held <= 26, `${held} pieces are held`)
      }
    },
  )

  await t.test('masks a match that begins in text beyond the buffer limit', () => {
    const guard = guardOf([{ pattern: 'BEGIN[a-z ]*END|secret\\d+' }])
    const text = `BEGIN${'k'.repeat(400)} secret123 b secret4`
    for (const size of [1, 7, 100, 5_000])
      assert.equal(inPieces(guard, cut(text, size)).join(''), '<masked> b <masked>')
    assert.equal(maskOf(guard, text), `BEGIN${'k'.repeat(400)} <masked> b <masked>`)
  })

  await t.test('does not mask long words as mail addresses, nor more than an address can have', () => {
    const word = 'x'.repeat(1_000)
    const guard = guardOf([{ builtin: 'email' }])
    for (const size of [1, 7, 100, 5_000]) {
      assert.equal(inPieces(guard, cut(`${word} a`, size)).join(''), `${word} a`)
      const after = inPieces(guard, cut(`${word}@b.com a`, size)).join('')
      assert.equal(after, maskOf(guard, `${word}@b.com a`))
      assert.match(after, /^x{700,800}<EMAIL_ADDRESS> a$/)
    }
  })

  await t.test('ends with the rejection as soon as there is a match', () => {
    assert.deepEqual(released([{ pattern: 'se+cret' }], ['a se', 'ecre', 't!'], 'reject').slice(0, 3), [
      [],
      [],
      'reject',
    ])
    assert.deepEqual(released([{ pattern: 'secret' }], ['a sec', 'ret'], 'reject'), [[], [], 'reject'])
    assert.deepEqual(released([{ builtin: 'email' }], ['a@b.', 'com'], 'reject'), [[], 'reject', 'reject'])
  })
})

const cut = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
