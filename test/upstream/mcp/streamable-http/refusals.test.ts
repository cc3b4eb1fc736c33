import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerRefused } from '../../../../src/upstream/mcp/http-status-error.ts'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { ping } from '../../../support/mcp/messages.ts'
import { startScripted } from '../../../support/mcp/scripted-server.ts'

test('refusals over streamable HTTP', async (t) => {
  await t.test('keep status, challenge and body, also if that is a JSON-RPC response', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_001, message: 'no' } })
    await using server = await startScripted((_, response) =>
      response
        .writeHead(401, { 'www-authenticate': 'Bearer realm="x"', 'content-type': 'application/json' })
        .end(body),
    )
    const { fault } = await openStreamable(server).call(ping).over
    assert.ok(fault instanceof ServerRefused)
    assert.deepEqual(
      [fault.status, fault.headers.get('www-authenticate'), fault.body.toString(), fault.message],
      [401, 'Bearer realm="x"', body, 'mcp: target one answered with status 401'],
    )
  })

  await t.test('include redirects', async () => {
    await using server = await startScripted((_, response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    )
    assert.deepEqual((await openStreamable(server).call(ping).over).fault?.status, 307)
    assert.equal(server.requests.length, 1)
  })

  await t.test('are truncated if their body is too long, and if it does not end', async () => {
    await using server = await startScripted(({ body }, response) => {
      response.writeHead(500).write(body.method === 'long' ? 'x'.repeat(1_000) : 'slow')
    })
    const { call } = openStreamable(server)
    const long = await call({ method: 'long' }).over
    const slow = await call({ method: 'slow' }).over
    const sizes = [long, slow].map(({ fault }) => (fault as ServerRefused).body.length)
    assert.deepEqual(sizes, [64, 4])
    await Promise.all(server.requests.map(({ gone }) => gone))
  })

  await t.test('report that the session is gone', async () => {
    await using server = await startScripted((_, response) => response.writeHead(404).end())
    const { call, listen } = openStreamable(server, { sessionId: 'old' })
    assert.equal((await call(ping).over).fault?.status, 404)
    assert.equal((await listen().over).fault?.status, 404)
  })
})
