import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINT, openLegacySse, serveLegacySse } from '../../../support/mcp/open-legacy-sse.ts'
import { ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondEvents, startScripted } from '../../../support/mcp/scripted-server.ts'

test('the endpoint of legacy SSE', async (t) => {
  for (const [said, expected] of [
    ['messages', '/base/messages'],
    ['?session=2', '/base/sse?session=2'],
    ['/m?x=%20y#part', '/m?x=%20y'],
    ['http://attacker.example:99/m?session=3', '/m?session=3'],
    ['//attacker.example/m', '/m'],
  ] as const)
    await t.test(`is a path of the configured server: ${said}`, async () => {
      await using server = await serveLegacySse(
        (stream, { id }) => respondEvents(stream, resultOf(id)),
        `event: endpoint\ndata: ${said}`,
      )
      using to = openLegacySse(server)
      await to.call(ping).over
      assert.equal(server.requests[1]!.url, expected)
    })

  for (const said of ['http://', 'javascript:alert(1)', `/${'x'.repeat(9_000)}`])
    await t.test(`is invalid: ${said.slice(0, 20)}`, async () => {
      await using server = await serveLegacySse(() => undefined, `event: endpoint\ndata: ${said}`)
      using to = openLegacySse(server)
      assert.equal((await to.call(ping).over).fault?.code, 'mcp_server_malformed')
      assert.equal(server.requests.length, 1)
    })

  await t.test('is set by the first event', async () => {
    await using server = await serveLegacySse(
      (stream, { id }) => respondEvents(stream, resultOf(id)),
      `${ENDPOINT}\n\nevent: endpoint\ndata: /elsewhere`,
    )
    using to = openLegacySse(server)
    await to.call(ping).over
    assert.equal(server.requests[1]!.url, '/messages?session=1')
  })

  await t.test('has a timeout', async () => {
    // Long enough for the server to have received the request.
    await using server = await startScripted((_, response) => respondEvents(response, resultOf(1)))
    using to = openLegacySse(server, { endpointMs: 2_000 })
    const [call, listener] = [to.call(ping), to.listen()]
    const { fault } = await call.over
    assert.deepEqual(
      [fault?.code, fault?.status, fault?.message],
      ['mcp_endpoint_missing', 504, 'mcp: target old named no endpoint within 2000 ms'],
    )
    assert.equal((await listener.over).fault, fault)
    const request = await server.request(1)
    await request.gone
  })
})
