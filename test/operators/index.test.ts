import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixedKeySet, KeyRing, readKeyRing, sequence } from 'agentgateway'
import { authorization, jwtAuth, localRateLimit, TokenBucket, TokenVerifier } from 'agentgateway/operators'
import { fakeUpstream, exchange, runAsync } from 'agentgateway/testing'
import { keySetOf, secondsFromNow, signer } from '../support/tokens.ts'

test('authorization and rate limits can be composed from the exports of the package', async () => {
  const idp = signer('k1')
  const ring = readKeyRing(keySetOf(idp))
  assert.ok(ring instanceof KeyRing)
  const issuer = {
    issuer: 'https://idp.test',
    audiences: ['api'],
    requiredClaims: ['exp'],
    keys: fixedKeySet(ring),
  }
  const limit = localRateLimit([
    new TokenBucket({ maxTokens: 1, tokensPerFill: 1, fillIntervalMs: 60_000 }, () => performance.now()),
  ])
  const pipeline = sequence([
    jwtAuth({
      mode: 'strict',
      source: { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
      verifier: new TokenVerifier([issuer]),
    }),
    authorization({
      rules: [
        {
          mode: 'require',
          text: 'the caller is Ann',
          expression: ({ identity: { jwt: claims } }) => ({
            value: claims !== undefined && 'sub' in claims && claims.sub === 'ann',
          }),
        },
      ],
    }),
    limit.request,
    fakeUpstream(200),
    limit.reply,
  ])
  const statusFor = async (sub?: string) => {
    const token =
      sub === undefined
        ? undefined
        : idp.token({ iss: 'https://idp.test', aud: 'api', sub, exp: secondsFromNow(60) })
    const headers = token === undefined ? {} : { authorization: [`Bearer ${token}`] }
    const { reply } = await runAsync(pipeline, exchange({ headers }))
    return reply?.status
  }
  assert.deepEqual(
    [await statusFor(), await statusFor('bob'), await statusFor('ann'), await statusFor('ann')],
    [401, 403, 200, 429],
  )
})
