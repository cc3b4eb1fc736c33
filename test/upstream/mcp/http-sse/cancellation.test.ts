import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLegacySse, serveLegacySse } from '../../../support/mcp/open-legacy-sse.ts'
import { ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents } from '../../../support/mcp/scripted-server.ts'

test('cancelling a call over legacy SSE', async (t) => {
  await t.test('notifies the server, and drops later messages of the call', async () => {
    await using server = await serveLegacySse((stream, { method }) => {
      if (method === 'notifications/cancelled') respondEvents(stream, resultOf(1))
      if (method === 'last') respondEvents(stream, resultOf(2))
    })
    using to = openLegacySse(server)
    const call = to.call(ping)
    await server.request(2)
    call.giveUp()
    call.giveUp()
    const cancelled = await server.request(3)
    assert.deepEqual(cancelled.body, {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    })
    await to.call({ method: 'last' }).over
    assert.deepEqual([call.ends, to.wire.skipped, server.requests.length], [0, 1, 4])
  })

  await t.test('does not notify the server of a handshake', async () => {
    await using server = await serveLegacySse((stream, { id, method }) => {
      if (method === 'ping') respondEvents(stream, resultOf(id))
    })
    using to = openLegacySse(server)
    const call = to.call({ method: 'initialize' })
    await server.request(2)
    call.giveUp()
    await to.call(ping).over
    assert.deepEqual(
      server.requests.map(({ body }) => body.method),
      [undefined, 'initialize', 'ping'],
    )
  })
})
