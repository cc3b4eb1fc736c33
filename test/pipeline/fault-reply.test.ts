import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../src/model/exchange/fault.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { exchange } from '../../src/testing/index.ts'

test('faultReply', async (t) => {
  await t.test('replies to a fault with its status, code and message', async () => {
    const cause = new Error('connect ECONNREFUSED 10.1.2.3:80')
    const fault = new Fault('upstream_failed', 'upstream call failed: connection refused', {
      status: 503,
      reason: 'UpstreamFailure',
      cause,
    })
    const reply = faultReply()(fault, exchange())
    assert.deepEqual(
      [reply.status, reply.code, reply.reason, reply.headers.get('content-type')],
      [503, 'upstream_failed', 'UpstreamFailure', 'text/plain'],
    )
    assert.equal(String(await reply.body.read(1000)), 'upstream call failed: connection refused')
    assert.equal(reply.cause, cause)
  })

  await t.test('logs a bug without exposing it to the client', async () => {
    const bug = new TypeError('secret is undefined')
    const x = exchange()
    const heard: unknown[] = []
    const reply = faultReply((...told) => heard.push(...told))(bug, x)
    assert.deepEqual([reply.status, reply.code, reply.reason], [500, 'internal', 'Internal'])
    assert.equal(String(await reply.body.read(1000)), 'internal error')
    assert.deepEqual(heard, [bug, x])
  })
})
