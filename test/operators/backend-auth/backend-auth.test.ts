import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerLocation } from '../../../src/model/policies/credential-location.ts'
import type { Fault } from '../../../src/model/exchange/fault.ts'
import {
  authenticateUpstream,
  tokenMissing,
  type UpstreamCredential,
} from '../../../src/operators/backend-auth/backend-auth.ts'
import { CredentialFault } from '../../../src/upstream/credentials/credential-fault.ts'
import { exchange, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'

const credential = (more: Partial<UpstreamCredential> = {}): UpstreamCredential => ({
  kind: 'key',
  location: bearerLocation,
  of: () => 's3cr3t-key',
  ...more,
})

test('authenticateUpstream', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(authenticateUpstream([credential()]))
    await operatorLaws(authenticateUpstream([credential({ of: () => Promise.resolve('later') })]), {
      parks: true,
    })
  })

  await t.test("replaces the client's credential with a key", () => {
    const x = run(
      authenticateUpstream([credential()]),
      exchange({ headers: { authorization: ['Bearer mine', 'Basic more'] } }),
    )
    assert.deepEqual(x.request.headers.all('authorization'), ['Bearer s3cr3t-key'])
  })

  await t.test('puts credentials into headers, cookies and queries, in order', async () => {
    const x = await runAsync(
      authenticateUpstream([
        credential({ location: { kind: 'header', name: 'x-key' } }),
        credential({ location: { kind: 'cookie', name: 'sid' }, of: () => Promise.resolve('c00kie') }),
        credential({ location: { kind: 'queryParameter', name: 'k' }, of: () => 'a&b=c/d' }),
        credential({ location: { kind: 'header', name: 'x-key' }, of: () => 'the last one' }),
      ]),
      exchange({ path: '/p?a=1&k=theirs', headers: { cookie: 'a=1; sid=theirs' } }),
    )
    assert.equal(x.request.headers.get('x-key'), 'the last one')
    assert.equal(x.request.headers.get('cookie'), 'a=1; sid=c00kie')
    assert.equal(x.request.target, '/p?a=1&k=a%26b%3Dc%2Fd')
  })

  await t.test('leaves a request unchanged if it has no credential for it', () => {
    const x = run(
      authenticateUpstream([credential({ of: ({ identity }) => identity.token })]),
      exchange({ headers: { authorization: 'Basic theirs' } }),
    )
    assert.equal(x.request.headers.get('authorization'), 'Basic theirs')
  })

  await t.test('removes client values from its own credential locations', () => {
    const location = { kind: 'header', name: 'x-user' } as const
    const x = run(
      authenticateUpstream([credential({ location, isExclusive: true, of: () => undefined })]),
      exchange({ headers: { 'x-user': 'theirs' } }),
    )
    assert.equal(x.request.headers.has('x-user'), false)
  })

  await t.test('restores the verified token', () => {
    const x = exchange()
    x.identity = { token: 'abc.def.ghi' }
    run(authenticateUpstream([credential({ of: ({ identity }) => identity.token })]), x)
    assert.equal(x.request.headers.get('authorization'), 'Bearer abc.def.ghi')
  })

  await t.test('replies 400 to a request without a token, and adds no credentials', () => {
    const x = run(
      authenticateUpstream([
        credential({ of: tokenMissing }),
        credential({ location: { kind: 'header', name: 'x' } }),
      ]),
      exchange(),
    )
    assert.deepEqual([x.reply?.status, x.reply?.error], [400, 'invalid request'])
    assert.equal(x.request.headers.has('x'), false)
  })

  await t.test('replies 500 if a credential is unavailable, at once or later', async () => {
    for (const of of [
      () => {
        throw new CredentialFault('no answer')
      },
      () => Promise.reject(new CredentialFault('no answer')),
    ]) {
      const failing = runAsync(authenticateUpstream([credential({ of })]), exchange())
      await assert.rejects(failing, (fault: Fault) => {
        assert.deepEqual(
          [fault.status, fault.code, fault.message],
          [500, 'backend_auth_failed', 'backend authentication failed: no answer'],
        )
        return true
      })
    }
  })

  await t.test('refuses values that would split a header, and does not print them', async () => {
    const broken = authenticateUpstream([credential({ of: () => 'abcdef\r\nx-injected: 1' })])
    await assert.rejects(runAsync(broken, exchange()), (fault: Fault) => {
      assert.doesNotMatch(fault.message, /abcdef/)
      return fault.code === 'backend_auth_failed'
    })
  })

  await t.test('records credentials for redaction, as they are and as query text', () => {
    const x = run(
      authenticateUpstream([
        credential({ location: { kind: 'queryParameter', name: 'k' }, of: () => 'a/b/c/d' }),
      ]),
      exchange(),
    )
    assert.deepEqual(x.policy.secrets, ['a/b/c/d', 'a%2Fb%2Fc%2Fd'])
  })
})
