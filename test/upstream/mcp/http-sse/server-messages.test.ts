import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { openLegacySse, serveLegacySse } from '../../../support/mcp/open-legacy-sse.ts'
import { logLine, ping, progressOn, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents } from '../../../support/mcp/scripted-server.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'

test('server messages of legacy SSE', async (t) => {
  const asked = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} }

  await t.test('belong to the call in their metadata, to the youngest one, or to the listener', async () => {
    const streams: ServerResponse[] = []
    await using server = await serveLegacySse((stream) => streams.push(stream))
    using to = openLegacySse(server)
    const slow = { method: 'tools/call', params: { _meta: { progressToken: 'same' } } }
    const listener = to.listen()
    const [first, second] = [to.call(slow), to.call(slow)]
    await server.request(3)
    const stream = streams[0]!
    respondEvents(
      stream,
      progressOn(1),
      asked,
      'data: nonsense',
      resultOf(2),
      progressOn(2),
      resultOf(1),
      logLine('all'),
    )
    await listener.has(1)
    assert.deepEqual(first.messages, [progressOn('same')])
    assert.deepEqual(second.messages, [asked])
    assert.deepEqual([first.ends, second.ends, to.wire.skipped], [1, 1, 2])
    assert.deepEqual(listener.messages, [logLine('all')])
  })

  await t.test('wait for a listener, the newest of them; older ones are lost, and counted', async () => {
    await using server = await serveLegacySse((stream, { id }) =>
      respondEvents(stream, resultOf(id), logLine('1'), logLine('2'), logLine('3'), resultOf(2)),
    )
    let dropped = 0
    using to = openLegacySse(server, { waiting: 2 }, () => dropped++)
    await to.call(ping).over
    await to.call(ping).over
    assert.equal(dropped, 4)
    const listener = to.listen()
    await listener.has(2)
    assert.deepEqual(listener.messages, [logLine('2'), logLine('3')])
  })

  await t.test('get responses at the endpoint', async () => {
    await using server = await serveLegacySse((stream, { id, method }) => {
      if (method === 'ping') respondEvents(stream, asked)
      else respondEvents(stream, resultOf(1), resultOf(id))
    })
    using to = openLegacySse(server)
    const call = to.call(ping)
    await call.has(1)
    to.wire.respond('q', { result: { action: 'accept' } }, requestContextTo(server.origin), () => undefined)
    await call.over
    assert.deepEqual(server.requests[2]!.body, { jsonrpc: '2.0', id: 'q', result: { action: 'accept' } })
  })

  await t.test('fail the call if they are an invalid response to it', async () => {
    await using server = await serveLegacySse((stream, { id }) =>
      respondEvents(stream, { jsonrpc: '2.0', id, result: null }),
    )
    using to = openLegacySse(server)
    assert.equal((await to.call(ping).over).fault?.code, 'mcp_server_malformed')
  })
})
