import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JwtMode } from '../../../src/operators/jwt-auth/schema.ts'
import { jwtAuth } from '../../../src/operators/jwt-auth/jwt-auth.ts'
import type { CredentialSource } from '../../../src/operators/credentials/credential-source.ts'
import { keysUnavailable, type Verification } from '../../../src/operators/jwt-auth/token-verifier.ts'
import { exchange, operatorLaws, run } from '../../../src/testing/index.ts'
import { gives } from '../../support/evaluate.ts'

const bearer: CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Bearer ' }
const claims = { sub: 'ann' }
const verifier = {
  verify: (text: string): Verification => {
    if (text === 'good') return { text, jwt: claims }
    return text === 'early' ? keysUnavailable : { code: 'jwt_expired', message: 'the token is bad' }
  },
}
const policy = (mode: JwtMode, source: CredentialSource = bearer) =>
  jwtAuth({ mode, source, verifier, bufferLimitBytes: 100 })
const asked = (...authorization: string[]) => exchange({ headers: { authorization } })

test('jwtAuth', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(policy('strict'))
    await operatorLaws(policy('strict'), { exchange: { headers: { authorization: 'Bearer good' } } })
    await operatorLaws(policy('optional'), { exchange: { headers: { authorization: 'Bearer bad' } } })
    await operatorLaws(policy('permissive'), { exchange: { headers: { authorization: 'Bearer bad' } } })
  })

  const table: readonly (readonly [string, string[], Record<JwtMode, number | undefined>])[] = [
    ['no token', [], { strict: 401, optional: undefined, permissive: undefined }],
    ['another scheme', ['Basic x'], { strict: 401, optional: undefined, permissive: undefined }],
    ['a good token', ['bearer good'], { strict: undefined, optional: undefined, permissive: undefined }],
    ['a bad token', ['Bearer bad'], { strict: 401, optional: 401, permissive: undefined }],
    ['two tokens', ['Bearer good', 'Bearer good'], { strict: 401, optional: 401, permissive: undefined }],
    ['no keys', ['Bearer early'], { strict: 503, optional: 503, permissive: undefined }],
  ]
  for (const [what, headers, statuses] of table)
    for (const mode of ['strict', 'optional', 'permissive'] as const)
      await t.test(`${mode}: ${what} gets ${String(statuses[mode] ?? 'through')}`, () => {
        assert.equal(run(policy(mode), asked(...headers)).reply?.status, statuses[mode])
      })

  await t.test('removes a valid token, and sets its claims', () => {
    const x = run(policy('strict'), asked('Bearer good'))
    assert.deepEqual(x.identity, { jwt: claims, token: 'good' })
    assert.equal(x.request.headers.has('authorization'), false)
  })

  await t.test('keeps an invalid token in the request if it may pass', () => {
    const x = run(policy('permissive'), asked('Bearer bad'))
    assert.deepEqual(x.identity, {})
    assert.deepEqual(x.request.headers.all('authorization'), ['Bearer bad'])
  })

  await t.test('keeps the claims of other policies', () => {
    const x = asked('Bearer good')
    x.identity = { basicAuth: { username: 'bob' } }
    assert.deepEqual(run(policy('strict'), x).identity, {
      basicAuth: { username: 'bob' },
      jwt: claims,
      token: 'good',
    })
  })

  await t.test('verifies a token that an earlier policy removed', () => {
    const x = run(policy('strict'), asked('Bearer good'))
    assert.equal(run(policy('strict'), x).reply, undefined)
  })

  await t.test('reports the error in a fixed text with a challenge', async () => {
    const refusal = async (mode: JwtMode, ...headers: string[]) => {
      const { reply } = run(policy(mode), asked(...headers))
      const text = String(await reply?.body.read(1000))
      return [reply?.reason, reply?.code, text, reply?.headers.get('www-authenticate')]
    }
    assert.deepEqual(await refusal('strict'), [
      'JwtAuth',
      'jwt_missing',
      'authentication failure: no bearer token found',
      'Bearer',
    ])
    assert.deepEqual(await refusal('optional', 'Bearer bad'), [
      'JwtAuth',
      'jwt_expired',
      'authentication failure: the token is bad',
      'Bearer error="invalid_token"',
    ])
    assert.deepEqual(await refusal('optional', 'Bearer early'), [
      'JwtAuth',
      'jwt_keys_unavailable',
      'processing failed: the keys to verify the token with are not available',
      undefined,
    ])
  })

  await t.test('waits for an asynchronous verification', async () => {
    const later = jwtAuth({
      mode: 'strict',
      source: bearer,
      bufferLimitBytes: 100,
      verifier: { verify: (text) => Promise.resolve(verifier.verify(text)) },
    })
    await operatorLaws(later, { parks: true, exchange: { headers: { authorization: 'Bearer good' } } })
    await operatorLaws(later, { parks: true, exchange: { headers: { authorization: 'Bearer bad' } } })
  })

  await t.test('reads tokens from the configured location', () => {
    const places: readonly [CredentialSource, Parameters<typeof exchange>[0]][] = [
      [{ kind: 'queryParameter', name: 'access_token' }, { path: '/?access_token=good' }],
      [{ kind: 'cookie', name: 'session' }, { headers: { cookie: 'session=good' } }],
      [{ kind: 'header', name: 'x-token' }, { headers: { 'x-token': 'good' } }],
      [{ kind: 'expression', expression: gives('good') }, {}],
    ]
    for (const [source, request] of places) {
      assert.equal(run(policy('strict', source), exchange(request)).identity.token, 'good')
      assert.equal(
        run(policy('strict', source), asked('Bearer good')).reply === undefined,
        source.kind === 'expression',
      )
    }
  })
})
