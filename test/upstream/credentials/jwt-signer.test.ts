import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import type { SigningAlgorithm } from '../../../src/operators/backend-auth/schema/normal-form.ts'
import { jwtSigner } from '../../../src/upstream/credentials/jwt-signer.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey

const pem = (key: KeyObject, type: 'pkcs1' | 'sec1' | 'pkcs8' = 'pkcs8'): string =>
  key.export({ format: 'pem', type }) as string

test('jwtSigner', async (t) => {
  const cases: readonly (readonly [SigningAlgorithm, KeyObject, string])[] = [
    ['RS256', rsa, pem(rsa)],
    ['RS384', rsa, pem(rsa, 'pkcs1')],
    ['RS512', rsa, pem(rsa)],
    ['PS256', rsa, pem(rsa)],
    ['ES256', p256, pem(p256)],
    ['ES256', p256, pem(p256, 'sec1')],
    ['ES384', p384, pem(p384)],
  ]
  for (const [alg, key, text] of cases)
    await t.test(`signs with ${alg} and a key that begins with ${text.split('\n')[0] ?? ''}`, async () => {
      const sign = jwtSigner({ alg, signingKey: { secret: text }, kid: 'one' }, { x5t: 'print' })
      const token = await sign({ iss: 'gateway', aud: ['a', 'b'], deep: { n: 1 } }, 60_000)
      const { payload } = await jwtVerify(token, createPublicKey(key), { algorithms: [alg] })
      assert.deepEqual(decodeProtectedHeader(token), { alg, typ: 'JWT', kid: 'one', x5t: 'print' })
      const { iat = 0, exp, ...claims } = payload
      assert.deepEqual(claims, { iss: 'gateway', aud: ['a', 'b'], deep: { n: 1 } })
      assert.equal(exp, iat + 60)
      assert.ok(Math.abs(iat - Date.now() / 1000) < 5)
    })

  await t.test('omits the key id if there is none', async () => {
    const token = await jwtSigner({ alg: 'ES256', signingKey: { secret: pem(p256) } })({}, 1_000)
    assert.deepEqual(decodeProtectedHeader(token), { alg: 'ES256', typ: 'JWT' })
  })
})
