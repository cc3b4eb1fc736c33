import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { KeyRing, readKeyRing } from '../../../src/protocols/jwk/key-ring.ts'
import { signer } from '../../support/tokens.ts'

const rsa = signer('rsa', 'RS256').jwk
const p256 = signer('p256', 'ES256').jwk
const p384 = signer('p384', 'ES384').jwk
const ed = signer('ed', 'EdDSA').jwk

const ringOf = (...keys: readonly unknown[]): KeyRing => {
  const ring = readKeyRing(JSON.stringify({ keys }))
  assert.ok(ring instanceof KeyRing)
  return ring
}

test('parses keys of every accepted kind', () => {
  const ring = ringOf(rsa, p256, p384, ed)
  assert.deepEqual(ring.ids, ['rsa', 'p256', 'p384', 'ed'])
  assert.deepEqual(ring.ignored, [])
  assert.equal(ring.find('rsa', 'RS256')?.key.asymmetricKeyType, 'rsa')
  assert.equal(ring.find('ed', 'EdDSA')?.key.asymmetricKeyType, 'ed25519')
})

test('provides a key for its own algorithm only', () => {
  const ring = ringOf(rsa, p256)
  assert.equal(ring.find('rsa', 'RS512'), undefined)
  assert.equal(ring.find('rsa', 'ES256'), undefined)
  assert.equal(ring.find('p256', 'RS256'), undefined)
  assert.equal(ring.find('other', 'ES256'), undefined)
})

test('provides a key without an algorithm for all that fit its kind', () => {
  const ring = ringOf({ ...rsa, alg: undefined }, { ...p256, alg: undefined })
  for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const)
    assert.ok(ring.find('rsa', algorithm))
  assert.ok(ring.find('p256', 'ES256'))
  assert.equal(ring.find('p256', 'ES384'), undefined)
})

test('selects among keys with one id by algorithm', () => {
  const ring = ringOf({ ...rsa, kid: 'same' }, { ...p256, kid: 'same' })
  assert.equal(ring.find('same', 'ES256')?.key.asymmetricKeyType, 'ec')
  assert.equal(ring.find('same', 'RS256')?.key.asymmetricKeyType, 'rsa')
})

test('drops private parts', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ring = ringOf({ ...privateKey.export({ format: 'jwk' }), kid: 'leaked' })
  assert.equal(ring.find('leaked', 'ES256')?.key.type, 'public')
})

const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
const unusable: readonly (readonly [unknown, string])[] = [
  ['text', 'is no object'],
  [{ ...rsa, kid: undefined }, 'has no `kid`'],
  [{ ...rsa, kid: 7 }, 'has no `kid`'],
  [{ ...rsa, use: 'enc' }, 'is not for signatures'],
  [{ ...rsa, key_ops: ['sign'] }, 'is not for verifying'],
  [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }, 'is of a kind that is not accepted (kty "oct")'],
  [{ kty: 'oct', k: 'c2VjcmV0' }, 'is of a kind that is not accepted (kty "oct")'],
  [{ ...p256, crv: 'secp256k1' }, 'is of a kind that is not accepted (kty "EC")'],
  [{ ...p256, alg: 'RS256' }, 'has an algorithm that is not accepted ("RS256")'],
  [{ ...rsa, alg: 'HS256' }, 'has an algorithm that is not accepted ("HS256")'],
  [{ ...rsa, alg: 'RSA-OAEP' }, 'has an algorithm that is not accepted ("RSA-OAEP")'],
  [{ ...p256, x: 'AAAA' }, 'cannot be read'],
  [{ ...rsa, n: undefined }, 'cannot be read'],
  [{ ...short, kid: 'a' }, 'is shorter than 2048 bits'],
  [{ ...rsa, e: 'AQ' }, 'is no safe key'],
]

for (const [jwk, problem] of unusable)
  test(`skips a key that ${problem}: ${JSON.stringify(jwk).slice(0, 60)}`, () => {
    const ring = ringOf(jwk, ed)
    assert.deepEqual(ring.ids, ['ed'])
    assert.deepEqual(ring.ignored, [`key 0 ${problem}`])
  })

for (const [text, problem] of [
  ['<html>', 'is not JSON'],
  ['[]', 'has no list `keys`'],
  ['{"keys":{}}', 'has no list `keys`'],
  ['null', 'has no list `keys`'],
  [JSON.stringify({ keys: Array.from({ length: 257 }, () => ed) }), 'has more than 256 keys'],
] as const)
  test(`refuses a text that ${problem}: ${text.slice(0, 20)}`, () => {
    assert.deepEqual(readKeyRing(text), { problem })
  })
