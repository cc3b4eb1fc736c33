import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reveal } from '../../../src/cel/context/headers-view.ts'
import type { JwtIssuer } from '../../../src/operators/jwt-auth/issuer.ts'
import {
  TokenVerifier,
  type Verification,
  type VerifiedToken,
} from '../../../src/operators/jwt-auth/token-verifier.ts'
import { KeyRing, readKeyRing } from '../../../src/protocols/jwk/key-ring.ts'
import { fixedKeySet, type KeySet } from '../../../src/upstream/jwks/key-set.ts'
import { keySetOf, type Signer, signer } from '../../support/tokens.ts'

const NOW = 2_000_000_000
const a = signer('a')
const b = signer('b', 'RS256')

const ringOf = (...signers: readonly Signer[]): KeyRing => {
  const ring = readKeyRing(keySetOf(...signers))
  assert.ok(ring instanceof KeyRing)
  return ring
}

const issuerOf = (keys: KeySet, more: Partial<JwtIssuer> = {}): JwtIssuer => ({
  issuer: 'https://idp.test',
  audiences: ['api'],
  requiredClaims: ['exp'],
  keys,
  ...more,
})

const claims = { iss: 'https://idp.test', aud: 'api', sub: 'ann', exp: NOW + 300 }
const only = issuerOf(fixedKeySet(ringOf(a, b)))
const at = (seconds: number) => ({ now: () => seconds * 1000 })
const codeOf = (answer: Verification) => ('code' in answer ? answer.code : 'verified')
const codes = async (issuers: readonly JwtIssuer[], token: string, now = NOW) =>
  codeOf(await new TokenVerifier(issuers, at(now)).verify(token))

test('verifies a token, and caches the result', async () => {
  const verifier = new TokenVerifier([only], at(NOW))
  const token = a.token(claims)
  const first = verifier.verify(token)
  assert.ok(first instanceof Promise)
  const { jwt, text } = (await first) as VerifiedToken
  assert.deepEqual(
    [jwt.sub, text, reveal(jwt.rawToken), JSON.stringify(jwt.rawToken)],
    ['ann', token, token, '"<redacted>"'],
  )
  const second = verifier.verify(token)
  assert.equal((second as VerifiedToken).jwt, jwt)
})

test('a claim named rawToken does not replace the token', async () => {
  const token = a.token({ ...claims, rawToken: 'forged' })
  const { jwt } = (await new TokenVerifier([only], at(NOW)).verify(token)) as VerifiedToken
  assert.equal(reveal(jwt.rawToken), token)
})

for (const alg of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA'] as const)
  test(`verifies ${alg}`, async () => {
    const one = signer('one', alg)
    assert.equal(await codes([issuerOf(fixedKeySet(ringOf(one)))], one.token(claims)), 'verified')
  })

const outcomes: readonly (readonly [what: string, claims: object, code: string])[] = [
  ['expired less than a minute ago', { exp: NOW - 59 }, 'verified'],
  ['expired a minute ago', { exp: NOW - 60 }, 'jwt_expired'],
  ['expires at a fraction of a second', { exp: NOW - 59.5 }, 'verified'],
  ['is valid in a minute', { nbf: NOW + 60 }, 'verified'],
  ['is valid in more than a minute', { nbf: NOW + 61 }, 'jwt_not_yet_valid'],
  ['has no exp', { exp: undefined }, 'jwt_missing_claim'],
  ['has no iss', { iss: undefined }, 'jwt_wrong_issuer'],
  ['is of another issuer', { iss: 'https://idp.test/' }, 'jwt_wrong_issuer'],
  ['has no aud', { aud: undefined }, 'jwt_wrong_audience'],
  ['is for no audience', { aud: [] }, 'jwt_wrong_audience'],
  ['is for another audience', { aud: 'API' }, 'jwt_wrong_audience'],
  ['is for several', { aud: ['other', 'api'] }, 'verified'],
]

for (const [what, more, code] of outcomes)
  test(`refuses a token that ${what}: ${code}`, async () => {
    assert.equal(await codes([only], a.token({ ...claims, ...more })), code)
  })

test('accepts tokens for any audience if none is configured, and without exp if it is optional', async () => {
  const lax = issuerOf(only.keys, { audiences: undefined, requiredClaims: ['sub'] })
  assert.equal(await codes([lax], a.token({ iss: claims.iss, sub: 'ann' })), 'verified')
  assert.equal(await codes([lax], a.token({ iss: claims.iss })), 'jwt_missing_claim')
  assert.equal(await codes([lax], a.token({ iss: claims.iss, sub: 'ann', exp: NOW - 100 })), 'jwt_expired')
})

test('a cached token expires', async () => {
  let now = NOW
  const verifier = new TokenVerifier([only], { now: () => now * 1000 })
  const token = a.token(claims)
  await verifier.verify(token)
  now = NOW + 359
  assert.equal(codeOf(verifier.verify(token) as Verification), 'verified')
  now = NOW + 360
  assert.equal(codeOf(verifier.verify(token) as Verification), 'jwt_expired')
  now = NOW + 3600
  assert.equal(codeOf(verifier.verify(token) as Verification), 'jwt_expired')
})

test('a cached token is verified again after the keys have changed', async () => {
  const keys = { ring: ringOf(a, b), seek: () => Promise.resolve() }
  const verifier = new TokenVerifier([issuerOf(keys)], at(NOW))
  const token = a.token(claims)
  await verifier.verify(token)
  keys.ring = ringOf(a)
  const again = verifier.verify(token)
  assert.ok(again instanceof Promise)
  assert.equal(codeOf(await again), 'verified')
  keys.ring = ringOf(b)
  assert.equal(codeOf(await verifier.verify(token)), 'jwt_unknown_key')
})

test('a signature with another key, another algorithm or over other claims is invalid', async () => {
  const other = signer('a')
  assert.equal(await codes([only], other.token(claims)), 'jwt_wrong_signature')
  assert.equal(await codes([only], a.token(claims, { kid: 'b' })), 'jwt_wrong_algorithm')
  const [header = '', , signature = ''] = a.token(claims).split('.')
  const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')
  assert.equal(await codes([only], `${header}.${payload}.${signature}`), 'jwt_wrong_signature')
})

test('the issuer in the token selects among issuers with equal key ids', async () => {
  const one = signer('same')
  const two = signer('same')
  const issuers = [
    issuerOf(fixedKeySet(ringOf(one)), { issuer: 'one' }),
    issuerOf(fixedKeySet(ringOf(two)), { issuer: 'two' }),
  ]
  assert.equal(await codes(issuers, one.token({ ...claims, iss: 'one' })), 'verified')
  assert.equal(await codes(issuers, two.token({ ...claims, iss: 'two' })), 'verified')
  assert.equal(await codes(issuers, one.token({ ...claims, iss: 'two' })), 'jwt_wrong_signature')
  assert.equal(await codes(issuers, one.token({ ...claims, iss: 'three' })), 'jwt_wrong_issuer')
})

test('an unknown key is looked up only at the issuer of the token', async () => {
  const asked: string[] = []
  const remote = (name: string, later: KeyRing | undefined): JwtIssuer => {
    const keys = {
      ring: undefined as KeyRing | undefined,
      seek: (id: string) => {
        asked.push(`${name} ${id}`)
        keys.ring = later
        return Promise.resolve()
      },
    }
    return issuerOf(keys, { issuer: name })
  }
  const issuers = [remote('one', undefined), remote('two', ringOf(b)), remote('three', ringOf(a))]
  const token = (iss: string) => a.token({ ...claims, iss })
  assert.equal(await codes(issuers, token('three')), 'verified')
  assert.equal(await codes(issuers, token('two')), 'jwt_unknown_key')
  assert.equal(await codes(issuers, token('one')), 'jwt_keys_unavailable')
  assert.equal(await codes(issuers, token('four')), 'jwt_wrong_issuer')
  assert.deepEqual(asked, ['three a', 'two a', 'one a'])
})

test('an unknown key id is escaped in the error', async () => {
  const answer = await new TokenVerifier([only], at(NOW)).verify(
    a.token(claims, { kid: `x"\n\u202e${'y'.repeat(100)}` }),
  )
  assert.equal(
    (answer as { message: string }).message,
    `token uses the unknown key "x\\"??${'y'.repeat(60)}"`,
  )
})

test('evicts cached tokens at the limit, and reports it', async () => {
  let evicted = 0
  const verifier = new TokenVerifier([only], { ...at(NOW), evicted: () => evicted++ })
  const big = (n: number) => a.token({ ...claims, n, filler: 'x'.repeat(11_000) })
  for (let n = 0; n < 300; n++) await verifier.verify(big(n))
  assert.ok(evicted > 0 && evicted < 200, `${evicted}`)
  assert.ok(verifier.bytes <= 8 * 1024 * 1024 && verifier.bytes > 7 * 1024 * 1024)
  assert.ok(verifier.verify(big(0)) instanceof Promise)
})

test('expired tokens are evicted, whether they are used again or not', async () => {
  const clock = { seconds: NOW }
  const verifier = new TokenVerifier([only], { now: () => clock.seconds * 1000 })
  const soon = Array.from({ length: 100 }, (_, n) => a.token({ ...claims, n, exp: NOW + 10 }))
  for (const token of soon) await verifier.verify(token)
  await verifier.verify(a.token(claims))
  assert.equal(verifier.size, 101)
  clock.seconds += 10 + 60 + 1
  verifier.sweep()
  assert.equal(verifier.size, 1)
  assert.equal(codeOf(await verifier.verify(soon[99]!)), 'jwt_expired')
})
