import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyBody } from '../../../src/model/exchange/body.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { deny, Reply } from '../../../src/model/exchange/reply.ts'
import { bearerLocation } from '../../../src/model/policies/credential-location.ts'
import {
  authenticateUpstream,
  type UpstreamCredential,
} from '../../../src/operators/backend-auth/backend-auth.ts'
import { renewCredentials } from '../../../src/operators/backend-auth/refresh-on-401.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { exchange, ManualBody, operatorLaws, run, runAsync } from '../../../src/testing/index.ts'

/** Tokens with a counter that increases on each refusal, and an upstream that accepts them from `good` on. */
const start = (good: number, challenge = 'Bearer error="invalid_token"') => {
  const seen: (string | undefined)[] = []
  let number = 1
  const credential: UpstreamCredential = {
    kind: 'test',
    location: bearerLocation,
    of: () => `token ${number}`,
    refused: () => number++ < 3,
  }
  const authenticate = authenticateUpstream([credential])
  const upstream = onRequest('upstream', (x) => {
    seen.push(x.request.headers.get('authorization'))
    const isGood = Number(seen.at(-1)?.at(-1)) >= good
    const headers = new Headers(isGood ? [] : ['www-authenticate', challenge])
    return new Reply(isGood ? 200 : 401, headers, emptyBody, 'Upstream')
  })
  return { seen, operator: renewCredentials([credential], (source) => upstream(authenticate(source))) }
}

test('refreshOn401', async (t) => {
  await t.test('obeys the laws of operators', () => {
    const inner = onRequest('inner', () => deny(404, 'not_found'))
    return operatorLaws(renewCredentials([], inner))
  })

  await t.test('retries once with another token', () => {
    const { operator, seen } = start(2)
    const x = run(operator, exchange())
    assert.equal(x.reply?.status, 200)
    assert.deepEqual(seen, ['Bearer token 1', 'Bearer token 2'])
  })

  await t.test('passes the second response on', () => {
    const { operator, seen } = start(9)
    const x = run(operator, exchange())
    assert.equal(x.reply?.status, 401)
    assert.equal(seen.length, 2)
  })

  await t.test('retries after no other status', () => {
    for (const challenge of ['Bearer', 'Bearer error="insufficient_scope"', 'Basic realm="x"']) {
      const { operator, seen } = start(2, challenge)
      assert.equal(run(operator, exchange()).reply?.status, 401)
      assert.equal(seen.length, 1)
    }
  })

  await t.test(
    'passes the refusal on if the request cannot be replayed, and uses another token next time',
    () => {
      const { operator, seen } = start(2)
      const body = new ManualBody(1_000_000)
      assert.equal(run(operator, exchange({ method: 'POST', body })).reply?.status, 401)
      assert.equal(run(operator, exchange()).reply?.status, 200)
      assert.deepEqual(seen, ['Bearer token 1', 'Bearer token 2'])
    },
  )

  await t.test('passes faults on', async () => {
    const fault = new Fault('upstream_connect', 'no')
    const failing = onRequest('upstream', () => {
      throw fault
    })
    await assert.rejects(runAsync(renewCredentials([], failing), exchange()), fault)
  })
})
