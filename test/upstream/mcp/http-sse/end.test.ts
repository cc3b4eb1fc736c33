import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLegacySse, serveLegacySse, startLegacySse } from '../../../support/mcp/open-legacy-sse.ts'
import { ping } from '../../../support/mcp/messages.ts'
import { respondJson, type Script, startScripted } from '../../../support/mcp/scripted-server.ts'

test('the end of legacy SSE', async (t) => {
  await t.test('of the stream fails the calls and ends listening, proper or not', async () => {
    for (const isCut of [false, true]) {
      await using server = await serveLegacySse((stream) => (isCut ? stream.destroy() : stream.end()))
      using to = openLegacySse(server)
      const listener = to.listen()
      const { fault } = await to.call(ping).over
      assert.deepEqual([fault?.code, fault?.status], ['mcp_stream_cut', 502])
      assert.equal((await listener.over).fault?.code, isCut ? 'mcp_stream_cut' : undefined)
      assert.equal((await to.call(ping).over).fault, fault)
      assert.equal(await to.notify('x'), fault)
      assert.equal(server.requests.length, 2)
    }
  })

  for (const [what, script, code] of [
    ['refuses it', (_, response) => response.writeHead(401).end('no'), 'mcp_server_refused'],
    ['sends something else', (_, response) => respondJson(response, {}), 'mcp_server_malformed'],
  ] as [string, Script, string][])
    await t.test(`comes first if the server ${what}`, async () => {
      await using server = await startScripted(script)
      using to = openLegacySse(server)
      const [call, listener] = [to.call(ping), to.listen()]
      assert.equal((await call.over).fault?.code, code)
      assert.equal((await listener.over).fault?.code, code)
    })

  await t.test('comes first if the server is unreachable', async () => {
    const server = await startLegacySse()
    await server[Symbol.asyncDispose]()
    using to = openLegacySse(server)
    assert.equal((await to.call(ping).over).fault?.code, 'upstream_failed')
  })

  await t.test('comes with a message beyond the limit', async () => {
    await using server = await serveLegacySse((stream) => stream.write(`data: ${'x'.repeat(5_000)}`))
    using to = openLegacySse(server, { messageBytes: 4_096 })
    assert.equal((await to.call(ping).over).fault?.code, 'mcp_message_too_large')
    await server.requests[0]!.gone
  })

  await t.test('comes with closing', async () => {
    await using server = await serveLegacySse(() => undefined)
    const to = openLegacySse(server)
    const [call, listener] = [to.call(ping), to.listen()]
    await server.request(2)
    to.wire.close()
    to.wire.close()
    assert.equal(call.ends, 0)
    assert.equal((await call.over).fault?.code, 'mcp_session_closed')
    assert.equal((await listener.over).fault, undefined)
    await server.requests[0]!.gone
    assert.deepEqual([call.ends, listener.ends], [1, 1])
  })
})
