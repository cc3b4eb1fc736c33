import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStreamable } from '../../../support/mcp/open-streamable.ts'
import { ping, resultOf } from '../../../support/mcp/messages.ts'
import { respondJson, type Script, startScripted } from '../../../support/mcp/scripted-server.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { TransportRecorder } from '../../../support/mcp/transport-recorder.ts'

const answering: Script = ({ body }, response) => respondJson(response, resultOf(body.id))

test('requests over streamable HTTP', async (t) => {
  await t.test('are a POST for each message, with the forwarded fields of the client', async () => {
    await using server = await startScripted(answering)
    const { call } = openStreamable(server)
    await call({ method: 'tools/call', params: { name: 'add' } }).over
    const [request] = server.requests
    const { headers, ...rest } = request!
    assert.deepEqual(
      [rest.method, rest.url, rest.body],
      ['POST', '/mcp?tenant=1', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } }],
    )
    const { host: _, connection: __, 'content-length': ___, ...sent } = headers
    assert.deepEqual(sent, {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      'x-team': 'red',
    })
  })

  await t.test('have session and revision once they are known, and not in a handshake', async () => {
    await using server = await startScripted(({ body }, response) =>
      respondJson(
        response,
        resultOf(body.id),
        body.method === 'initialize' ? { 'mcp-session-id': 'abc' } : {},
      ),
    )
    const { wire: transport, call, notify } = openStreamable(server)
    assert.equal(transport.sessionId, undefined)
    await call({ method: 'initialize' }).over
    assert.equal(transport.sessionId, 'abc')
    transport.agreed('2025-06-18')
    await notify('notifications/initialized')
    await call(ping).over
    await call({ method: 'initialize' }).over
    assert.deepEqual(
      server.requests.map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']]),
      [
        [undefined, undefined],
        ['abc', '2025-06-18'],
        ['abc', '2025-06-18'],
        [undefined, undefined],
      ],
    )
  })

  await t.test('drop session headers of the client, and keep its credentials', async () => {
    await using server = await startScripted(answering)
    const { wire: transport } = openStreamable(server)
    const recorder = new TransportRecorder()
    const stolen = {
      'mcp-session-id': 'hers',
      'mcp-protocol-version': '1',
      'mcp-param-a': 'b',
      accept: 'text/html',
    }
    transport.call(ping, requestContextTo(server.origin, { ...stolen, authorization: 'Bearer t' }), recorder)
    await recorder.over
    const { headers } = server.requests[0]!
    assert.deepEqual(
      Object.keys(stolen).map((name) => headers[name]),
      [undefined, undefined, undefined, 'application/json, text/event-stream'],
    )
    assert.equal(headers.authorization, 'Bearer t')
  })

  await t.test('continue a session of another transport, with unused ids', async () => {
    await using server = await startScripted(answering)
    const { call } = openStreamable(server, { sessionId: 'abc', revision: '2025-11-25' })
    assert.deepEqual((await call(ping).over).outcome, { result: { ok: true } })
    const { headers, body } = server.requests[0]!
    assert.deepEqual([headers['mcp-session-id'], headers['mcp-protocol-version']], ['abc', '2025-11-25'])
    assert.ok(body.id! > 1_000_000)
  })

  await t.test('are mirrored in headers in the newer revision', async () => {
    await using server = await startScripted(answering)
    const { call } = openStreamable(server, { era: 'modern', revision: '2026-07-28' })
    await call({
      method: 'tools/call',
      params: { name: 'größe', _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } },
      mirrored: ['Mcp-Param-Region', 'eu'],
    }).over
    await call(ping).over
    const fields = ['mcp-method', 'mcp-name', 'mcp-param-region', 'mcp-protocol-version', 'mcp-session-id']
    assert.deepEqual(
      server.requests.map(({ headers }) => fields.map((name) => headers[name])),
      [
        ['tools/call', '=?base64?Z3LDtsOfZQ==?=', 'eu', '2027-01-01', undefined],
        ['ping', undefined, undefined, '2026-07-28', undefined],
      ],
    )
  })

  await t.test('report whether they were accepted, or why not', async () => {
    await using server = await startScripted(({ body }, response) =>
      response.writeHead(body.method === 'no' ? 400 : 202).end(),
    )
    const { wire: transport, behalf: context, notify } = openStreamable(server)
    assert.equal(await notify('yes'), undefined)
    assert.deepEqual(await notify('no').then((fault) => [fault?.code, fault?.status]), [
      'mcp_server_refused',
      400,
    ])
    const fault = await new Promise((onSent) =>
      transport.respond('s-1', { error: { code: 1, message: 'm' } }, context, onSent),
    )
    assert.equal(fault, undefined)
    assert.deepEqual(server.requests[2]!.body, {
      jsonrpc: '2.0',
      id: 's-1',
      error: { code: 1, message: 'm' },
    })
  })
})
