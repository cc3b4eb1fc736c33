import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]

test('an AEAD keyring', async (t) => {
  await t.test('opens what it sealed, and never seals twice in the same way', () => {
    const ring = new Keyring([first])
    const sealed = ring.seal('größer als nichts', 'a')
    assert.equal(ring.open(sealed, 'a'), 'größer als nichts')
    assert.match(sealed, /^[\w-]+$/)
    assert.notEqual(ring.seal('größer als nichts', 'a'), sealed)
    assert.equal(ring.open(ring.seal('', 'a'), 'a'), '')
  })

  await t.test('does not open texts that were sealed for another purpose, or by another keyring', () => {
    const ring = new Keyring([first])
    assert.equal(ring.open(ring.seal('text', 'a'), 'b'), undefined)
    assert.equal(new Keyring([second]).open(ring.seal('text', 'a'), 'a'), undefined)
  })

  await t.test('does not open changed texts, at any bit', () => {
    const ring = new Keyring([first])
    const bytes = Buffer.from(ring.seal('text', 'a'), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(ring.open(changed.toString('base64url'), 'a'), undefined)
    }
    for (let length = 0; length < bytes.length; length++)
      assert.equal(ring.open(bytes.subarray(0, length).toString('base64url'), 'a'), undefined)
    for (const text of ['', '.', 'not sealed at all', '\u0000', 'é'.repeat(100)])
      assert.equal(ring.open(text, 'a'), undefined)
  })

  await t.test('seals with its first key and opens with all of them, so that keys can be rotated', () => {
    const old = new Keyring([first]).seal('text', 'a')
    const both = new Keyring([second, first])
    assert.equal(both.open(old, 'a'), 'text')
    assert.equal(new Keyring([second]).open(both.seal('text', 'a'), 'a'), 'text')
    assert.equal(new Keyring([first]).open(both.seal('text', 'a'), 'a'), undefined)
  })

  await t.test('is created from hexadecimal keys, or with a random one', () => {
    const key = { secret: first.toString('hex') }
    assert.equal(Keyring.of([key]).open(new Keyring([first]).seal('text', 'a'), 'a'), 'text')
    const random = Keyring.of([])
    assert.equal(random.open(random.seal('text', 'a'), 'a'), 'text')
    assert.equal(Keyring.of([]).open(random.seal('text', 'a'), 'a'), undefined)
  })

  await t.test('refuses a key of another size', () => {
    assert.throws(() => new Keyring([]), TypeError)
    assert.throws(() => new Keyring([randomBytes(16)]), TypeError)
  })
})
