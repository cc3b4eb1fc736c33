import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TokenReview, tokenReviews } from '../../../../src/controller/sinks/xds/token-review.ts'
import { xdsToken } from '../../../support/xds/xds-token.ts'

const now = 1_800_000_000_000
const tokenUntil = (seconds: number, account = 'a/b') => xdsToken(account, { exp: now / 1000 + seconds })
const ofAccount = (username: string, audiences = ['agentgateway']) => ({
  status: { authenticated: true, audiences, user: { username } },
})
const caller = (address = '10.0.0.1', isWaiting = () => true) => ({ address, isWaiting })

/** Reviews that always have the same result, and what was asked. */
const reviewing = (result: unknown, clock = () => now) => {
  const asked: TokenReview[] = []
  const authenticate = tokenReviews((review) => {
    asked.push(review)
    return Promise.resolve(result)
  }, clock)
  return { asked, authenticate: (token: string) => authenticate(token, caller()) }
}

/** Reviews that end when the test says so, and what comes of the callers. */
const pendingReviews = () => {
  const open: PromiseWithResolvers<unknown>[] = []
  let most = 0
  const authenticate = tokenReviews(() => {
    const review = Promise.withResolvers<unknown>()
    open.push(review)
    most = Math.max(most, open.length)
    return review.promise
  })
  const endOne = async (result: unknown) => {
    open.shift()?.resolve(result)
    await new Promise(setImmediate)
  }
  return { open, authenticate, endOne, most: () => most }
}

suite('a token review', () => {
  test('asks for the audience of proxies, and finds the service account', async () => {
    const { asked, authenticate } = reviewing(ofAccount('system:serviceaccount:team:web'))
    const token = tokenUntil(3600, 'team/web')
    assert.deepEqual(await authenticate(token), { namespace: 'team', name: 'web' })
    assert.deepEqual(asked, [
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: ['agentgateway'] },
      },
    ])
  })

  for (const [what, result] of [
    ['that is not authenticated', { status: { authenticated: false, error: 'expired' } }],
    ['without a status', {}],
    ['of a user', ofAccount('alice')],
    ['of another audience', ofAccount('system:serviceaccount:team:web', ['api'])],
  ] as const)
    test(`refuses a token ${what}`, async () => {
      await assert.rejects(reviewing(result).authenticate(tokenUntil(3600, 'team/web')), {
        name: 'AuthenticationError',
      })
    })

  test('is remembered for a minute, and not beyond the end of the token', async () => {
    let at = now
    const { asked, authenticate } = reviewing(ofAccount('system:serviceaccount:a:b'), () => at)
    for (const token of [tokenUntil(3600), tokenUntil(10)]) {
      await authenticate(token)
      await authenticate(token)
    }
    assert.equal(asked.length, 2)
    at = now + 11_000
    await authenticate(tokenUntil(3600))
    await authenticate(tokenUntil(10))
    assert.equal(asked.length, 3)
    at = now + 61_000
    await authenticate(tokenUntil(3600))
    assert.equal(asked.length, 4)
  })

  test('that refused a token is remembered for five seconds', async () => {
    let at = now
    const { asked, authenticate } = reviewing({ status: { authenticated: false } }, () => at)
    const token = tokenUntil(3600)
    await assert.rejects(authenticate(token), { name: 'AuthenticationError' })
    await assert.rejects(authenticate(token), { name: 'AuthenticationError' })
    assert.equal(asked.length, 1)
    at = now + 5_001
    await assert.rejects(authenticate(token), { name: 'AuthenticationError' })
    assert.equal(asked.length, 2)
  })

  test('that failed is not remembered', async () => {
    let attempts = 0
    const authenticate = tokenReviews(() => Promise.reject(new Error(`attempt ${++attempts}`)))
    for (const message of ['attempt 1', 'attempt 2'])
      await assert.rejects(authenticate(xdsToken('a/b'), caller()), { message })
  })
})

const parts = xdsToken('a/b').split('.')
const [header = '', payload = '', signature = ''] = parts
const encoded = (text: string) => Buffer.from(text).toString('base64url')

suite('no review is made of a token', () => {
  for (const [what, token, message] of [
    ['that is too long', `${header}.${payload}.${'x'.repeat(20_000)}`, 'the token is too long'],
    ['that is none', 'abc', 'this is not a token of a service account'],
    ['without a signature', `${header}.${payload}.`, 'this is not a token of a service account'],
    ['of two parts', `${header}.${payload}`, 'this is not a token of a service account'],
    ['of four parts', `${parts.join('.')}.more`, 'this is not a token of a service account'],
    [
      'whose header is no JSON',
      `nonsense.${payload}.${signature}`,
      'this is not a token of a service account',
    ],
    [
      'without an algorithm',
      `${encoded('{}')}.${payload}.${signature}`,
      'this is not a token of a service account',
    ],
    [
      'whose claims are a list',
      `${header}.${encoded('[]')}.${signature}`,
      'the token does not belong to a service account',
    ],
    ['of a user', xdsToken('a/b', { sub: 'alice' }), 'the token does not belong to a service account'],
    [
      'of three names',
      xdsToken('a/b', { sub: 'system:serviceaccount:a:b:c' }),
      'the token does not belong to a service account',
    ],
    [
      'for the API server',
      xdsToken('a/b', { aud: ['https://kubernetes.default.svc'] }),
      'the token is not for the audience agentgateway',
    ],
    ['for nobody', xdsToken('a/b', { aud: undefined }), 'the token is not for the audience agentgateway'],
    ['that has expired', xdsToken('a/b', { exp: now / 1000 - 61 }), 'the token has expired'],
  ] as const)
    test(what, async () => {
      const { asked, authenticate } = reviewing({})
      await assert.rejects(authenticate(token), { name: 'AuthenticationError', message })
      assert.equal(asked.length, 0)
    })

  test('for one audience as text, and one that ended just now by our clock, are reviewed', async () => {
    const { asked, authenticate } = reviewing(ofAccount('system:serviceaccount:a:b'))
    await authenticate(xdsToken('a/b', { aud: 'agentgateway', exp: now / 1000 - 30 }))
    assert.equal(asked.length, 1)
  })
})

const forged = (index: number) => xdsToken('a/b', { jti: index })
const accepted = ofAccount('system:serviceaccount:team:web')
const refused = { status: { authenticated: false } }

suite('a flood of tokens', () => {
  test('is reviewed sixteen at a time, and what exceeds the queue is refused by its name', async () => {
    const { authenticate, endOne, most, open } = pendingReviews()
    const outcomes = Array.from({ length: 300 }, (_, index) =>
      authenticate(forged(index), caller()).catch((error: unknown) => (error as Error).message),
    )
    await new Promise(setImmediate)
    const early = await Promise.all(outcomes.slice(16 + 256))
    assert.deepEqual(new Set(early), new Set(['the queue of token reviews is full: 256 are waiting']))
    while (open.length > 0) await endOne(refused)
    assert.equal(most(), 16)
    assert.deepEqual(
      new Set(await Promise.all(outcomes.slice(0, 16 + 256))),
      new Set(['the token is not one of this cluster, or not for this audience']),
    )
  })

  test('delays callers of another address by one turn', async () => {
    const { authenticate, endOne, open } = pendingReviews()
    for (let index = 0; index < 16 + 256; index++)
      authenticate(forged(index), caller('10.0.0.66')).catch(() => undefined)
    const honest = authenticate(xdsToken('team/web'), caller('10.0.0.2'))
    await endOne(refused)
    await endOne(refused)
    open.splice(0, 14)
    for (let turn = 0; turn < 2; turn++) await endOne(accepted)
    assert.deepEqual(await honest, { namespace: 'team', name: 'web' })
  })

  test('of one token costs as many reviews as are made at a time', async () => {
    const { authenticate, endOne, open } = pendingReviews()
    const outcomes = Array.from({ length: 100 }, () => authenticate(xdsToken('team/web'), caller()))
    let reviews = 0
    for (; open.length > 0; reviews++) await endOne(accepted)
    await Promise.all(outcomes)
    assert.equal(reviews, 16)
  })

  test('costs nothing for callers that have left', async () => {
    const { authenticate, endOne, open } = pendingReviews()
    for (let index = 0; index < 16; index++) void authenticate(forged(index), caller())
    const left = authenticate(
      forged(16),
      caller('10.0.0.3', () => false),
    ).catch((error: unknown) => (error as Error).name)
    const honest = authenticate(xdsToken('team/web'), caller('10.0.0.4'))
    for (let turn = 0; turn < 16; turn++) await endOne(accepted)
    assert.equal(open.length, 1)
    await endOne(accepted)
    await honest
    assert.equal(await left, 'QueueFull')
  })
})
