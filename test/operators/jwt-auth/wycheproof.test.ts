import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isSignedWith } from '../../../src/operators/jwt-auth/token-verifier.ts'
import { KeyRing, readKeyRing } from '../../../src/protocols/jwk/key-ring.ts'
import { readSignedText } from '../../../src/protocols/jwt/compact-jws.ts'

/** Google's Project Wycheproof (C2SP/wycheproof, Apache-2.0): known attacks on implementations of JSON Web Signature. */
interface Vectors {
  readonly groups: readonly {
    readonly comment: string
    readonly public?: Readonly<Record<string, unknown>>
    readonly tests: readonly (readonly [
      id: number,
      comment: string,
      result: 'valid' | 'invalid',
      jws: string,
    ])[]
  }[]
}

const { groups } = JSON.parse(readFileSync('test/vectors/wycheproof-jws.json', 'utf8')) as Vectors

/** The result for a text, given one key: the reason for a refusal, or that it is signed with that key. */
const outcomeOf = async (key: object | undefined, jws: string): Promise<string> => {
  const ring = readKeyRing(JSON.stringify({ keys: key ? [key] : [] }))
  assert.ok(ring instanceof KeyRing)
  const signed = readSignedText(jws)
  if (!('payload' in signed)) return signed.message
  const found = ring.find(signed.keyId, signed.algorithm)
  if (!found) return 'no such key'
  return (await isSignedWith(found, signed)) ? 'signed' : 'wrong signature'
}

test('wycheproof', async (t) => {
  const outcomes = new Map<string, number>()
  let good = 0
  for (const { comment, public: key, tests } of groups)
    for (const [id, what, result, jws] of tests) {
      const outcome = await outcomeOf(key, jws)
      if (result === 'invalid') {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        await t.test(`refuses ${comment} ${id}: ${what || 'no comment'}`, () => {
          assert.notEqual(outcome, 'signed')
        })
      } else if (outcome === 'signed') good++
      else
        await t.test(`does not support ${comment} ${id}: ${outcome}`, () => {
          assert.match(outcome, /^(?:its algorithm is not accepted|its header is not base64url|no such key)$/)
        })
    }

  await t.test('accepts valid signatures', () => {
    assert.ok(good === 32, `${good}`)
  })
  for (const [outcome, count] of outcomes) t.diagnostic(`${count} refused: ${outcome}`)
})
