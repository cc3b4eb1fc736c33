import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicAuth, type BasicAuthOptions } from '../../../src/operators/basic-auth/basic-auth.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'
import type { PasswordClaim } from '../../../src/upstream/passwords/passwords.ts'

const users = [
  { name: 'alice', hash: { secret: 'hash of right' } },
  { name: 'bob', hash: { secret: 'hash of other' } },
]
const encoded = (text: string) => Buffer.from(text).toString('base64')
const sent = (text: string): ExchangeOverrides => ({ headers: { authorization: `Basic ${encoded(text)}` } })

/** A policy with a password checker that compares texts and records its calls. */
const policy = (parts: Partial<BasicAuthOptions> = {}) => {
  const claims: PasswordClaim[] = []
  const operator = basicAuth({
    users,
    realm: 'Restricted',
    mode: 'strict',
    source: { kind: 'header', name: 'authorization', prefix: 'Basic ' },
    bufferLimitBytes: 100,
    verify: (claim) => {
      claims.push(claim)
      return claim.hash === `hash of ${claim.password}` && !claim.isDecoy
    },
    ...parts,
  })
  return { operator, claims }
}

test('basicAuth', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(policy().operator))
  await t.test('obeys the laws of operators with a slow check', () =>
    operatorLaws(policy({ verify: () => Promise.resolve(true) }).operator, {
      exchange: sent('alice:right'),
      parks: true,
    }),
  )

  await t.test('accepts a known user, sets its metadata, and removes the password', () => {
    const x = run(policy().operator, exchange(sent('alice:right')))
    assert.equal(x.reply, undefined)
    assert.deepEqual(x.identity.basicAuth, { username: 'alice' })
    assert.equal(x.request.headers.has('authorization'), false)
  })

  await t.test('splits at the first colon', () => {
    const { operator, claims } = policy()
    run(operator, exchange(sent('alice:a:b:')))
    assert.equal(claims[0]?.password, 'a:b:')
  })

  const refusals: readonly (readonly [what: string, request: ExchangeOverrides, text: string])[] = [
    ['no credentials', {}, 'no basic authentication credentials found'],
    [
      'credentials of another scheme',
      { headers: { authorization: 'Bearer abc' } },
      'no basic authentication credentials found',
    ],
    ['a wrong password', sent('alice:wrong'), 'invalid credentials'],
    ['a password of another user', sent('alice:other'), 'invalid credentials'],
    ['an unknown user', sent('eve:right'), 'invalid credentials'],
    ['a user in other letters', sent('Alice:right'), 'invalid credentials'],
    ['no colon', sent('alice'), 'invalid credentials'],
    ['nothing but a colon', sent(':'), 'invalid credentials'],
    ['no Base64', { headers: { authorization: 'Basic alice:right' } }, 'invalid credentials'],
    ['a control character', sent('alice:right\0'), 'invalid credentials'],
    ['a very long password', sent(`alice:${'x'.repeat(1025)}`), 'invalid credentials'],
    [
      'two passwords, one of them right',
      { headers: { authorization: [`Basic ${encoded('eve:x')}`, `Basic ${encoded('alice:right')}`] } },
      'invalid credentials',
    ],
  ]
  for (const [what, request, text] of refusals) {
    await t.test(`refuses ${what}`, () => {
      const x = run(policy().operator, exchange(request))
      assert.deepEqual(
        [x.reply?.status, x.reply?.reason, x.reply?.code, x.reply?.error],
        [401, 'BasicAuth', 'basic_auth_failed', `basic authentication failure: ${text}`],
      )
      assert.equal(x.reply?.headers.get('www-authenticate'), 'Basic realm="Restricted"')
      assert.deepEqual(x.identity, {})
    })
  }

  await t.test('does as much work for an unknown user as for a known one, and always the same', () => {
    const { operator, claims } = policy()
    for (let i = 0; i < 20; i++) run(operator, exchange(sent('eve:right')))
    assert.equal(claims.length, 20)
    assert.equal(new Set(claims.map(({ hash }) => hash)).size, 1)
    assert.ok(claims.every(({ isDecoy }) => isDecoy))
    for (let i = 0; i < 20; i++) run(operator, exchange(sent(`eve${String(i)}:right`)))
    assert.equal(new Set(claims.map(({ hash }) => hash)).size, 2)
  })

  await t.test('refuses all requests if there are no users', () => {
    const x = run(policy({ users: [] }).operator, exchange(sent('alice:right')))
    assert.equal(x.reply?.status, 401)
  })

  await t.test(
    'accepts requests without a password as anonymous if it is optional, and no wrong passwords',
    () => {
      const { operator } = policy({ mode: 'optional' })
      const without = run(operator, exchange({ headers: { authorization: 'Bearer abc' } }))
      assert.deepEqual([without.reply, without.identity.basicAuth], [undefined, undefined])
      assert.equal(without.request.headers.get('authorization'), 'Bearer abc')
      const wrong = run(operator, exchange(sent('alice:wrong')))
      assert.equal(wrong.reply?.status, 401)
    },
  )

  await t.test('replies 407 for a proxy', () => {
    const { operator } = policy({
      source: { kind: 'header', name: 'proxy-authorization', prefix: 'Basic ' },
      realm: 'a "realm"',
    })
    const x = run(operator, exchange())
    assert.deepEqual(
      [x.reply?.status, x.reply?.headers.get('proxy-authenticate'), x.reply?.headers.has('www-authenticate')],
      [407, 'Basic realm="a \\"realm\\""', false],
    )
  })

  await t.test('reads the password from another location if configured', () => {
    const { operator } = policy({ source: { kind: 'cookie', name: 'login' } })
    const x = run(operator, exchange({ headers: { cookie: `a=1; login=${encoded('alice:right')}` } }))
    assert.deepEqual(x.identity.basicAuth, { username: 'alice' })
    assert.equal(x.request.headers.get('cookie'), 'a=1')
  })

  await t.test('replies 503 if the queue is too long', () => {
    const x = run(policy({ verify: () => 'busy' }).operator, exchange(sent('alice:right')))
    assert.deepEqual(
      [x.reply?.status, x.reply?.reason, x.reply?.headers.get('retry-after')],
      [503, 'Overloaded', '1'],
    )
  })

  await t.test('sends a challenge for the original host', () => {
    const { operator, claims } = policy()
    run(operator, exchange({ ...sent('alice:right'), connection: { sourceAddress: '192.0.2.7' } }))
    assert.equal(claims[0]?.clientAddress, '192.0.2.7')
  })
})
