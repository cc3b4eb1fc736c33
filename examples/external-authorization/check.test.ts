import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authorization } from '../../src/protocols/grpc/ext-authz.gen.ts'
import { sendRequest } from '../../test/support/send-request.ts'
import { echoed, startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'
import { grpcServer, unary } from '../../test/support/grpc-server.ts'
import { startProgram } from '../../test/support/program.ts'
import { until } from '../../test/support/stream-body.ts'

test('examples/external-authorization', async (t) => {
  await using shop = await startEcho('shop')
  await using decider = await startProgram('examples/external-authorization/decider.ts')
  await using grpcDecider = await grpcServer([
    unary(Authorization.method.check, ({ attributes }) => ({
      status: { code: attributes?.contextExtensions.shop === 'north' ? 0 : 7 },
    })),
  ])
  await using daemon = await startExample('external-authorization', {
    SHOP: shop.host,
    DECIDER: decider.host,
    GRPC_DECIDER: grpcDecider.host,
  })
  const get = (target: string, method: string, headers: Record<string, string>) =>
    sendRequest(daemon.url('default'), target, { method, headers })
  const [ann, bob] = ['ann', 'bob'].map((name) => ({ authorization: `Bearer ${name}-s3cret` })) as [
    { authorization: string },
    { authorization: string },
  ]

  await t.test('refuses callers that the service does not know', async () => {
    const { status, headers, text } = await get('/orders', 'GET', { 'x-user': 'ann' })
    assert.deepEqual([status, headers['www-authenticate'], text], [401, 'Bearer', 'Who are you?'])
  })

  await t.test(
    "passes the caller's name from the service to the shop, whatever the client sends",
    async () => {
      const answer = await get('/orders', 'GET', { ...bob, 'x-user': 'ann' })
      assert.equal(echoed(answer).headers['x-user'], 'bob')
    },
  )

  await t.test('evaluates rules on the result of the service', async () => {
    assert.equal((await get('/orders', 'POST', ann)).status, 200)
    assert.equal((await get('/orders', 'POST', bob)).status, 403)
  })

  await t.test('caches decisions for a while', async () => {
    await get('/orders/1', 'GET', ann)
    await get('/orders/1', 'GET', ann)
    await get('/orders/2', 'GET', ann)
    // The service's output may arrive after its response, but in order.
    await until(() => decider.lines.includes('GET /orders/2: ann'), 'the last line')
    const asked = decider.lines.filter((line) => line.startsWith('GET /orders/'))
    assert.deepEqual(asked, ['GET /orders/1: ann', 'GET /orders/2: ann'])
  })

  await t.test('calls a gRPC service as well', async () => {
    assert.equal((await get('/reports', 'GET', {})).status, 200)
    await grpcDecider[Symbol.asyncDispose]()
    assert.equal((await get('/reports', 'GET', {})).status, 503)
  })
})
