import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TokenReview, tokenReviews } from '../../../../src/controller/sinks/xds/token-review.ts'

const now = 1_800_000_000_000
const tokenUntil = (seconds: number) =>
  `h.${Buffer.from(JSON.stringify({ exp: now / 1000 + seconds })).toString('base64url')}.s`
const ofAccount = (username: string, audiences = ['agentgateway']) => ({
  status: { authenticated: true, audiences, user: { username } },
})

/** Reviews that always have the same result, and what was asked. */
const reviewing = (result: unknown, clock = () => now) => {
  const asked: TokenReview[] = []
  const authenticate = tokenReviews((review) => {
    asked.push(review)
    return Promise.resolve(result)
  }, clock)
  return { asked, authenticate }
}

suite('a token review', () => {
  test('asks for the audience of proxies, and finds the service account', async () => {
    const { asked, authenticate } = reviewing(ofAccount('system:serviceaccount:team:web'))
    assert.deepEqual(await authenticate('t'), { namespace: 'team', name: 'web' })
    assert.deepEqual(asked, [
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 't', audiences: ['agentgateway'] },
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
      await assert.rejects(reviewing(result).authenticate('t'), { name: 'AuthenticationError' })
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

  test('is not made of a token that is too long', async () => {
    const { asked, authenticate } = reviewing({})
    await assert.rejects(authenticate('x'.repeat(20_000)), { name: 'AuthenticationError' })
    assert.equal(asked.length, 0)
  })
})
