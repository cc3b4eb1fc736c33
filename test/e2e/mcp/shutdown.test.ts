import assert from 'node:assert/strict'
import { test } from 'node:test'
import { respondToInitialize, initialize, notify, openStream } from '../../support/mcp/plain-client.ts'
import { httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { startScripted } from '../../support/mcp/scripted-server.ts'

/** A server that accepts handshakes and notifications, and sends nothing. */
const startHandshaker = () =>
  startScripted((request, response) => {
    if (request.method === 'GET')
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    else if (request.body.method === 'initialize')
      respondToInitialize(request, response, 'session-of-the-server')
    else response.writeHead(202).end()
  })

test('the shutdown of a gateway', async (t) => {
  await using server = await startHandshaker()

  await t.test('ends session streams cleanly, without waiting for clients that only listen', async () => {
    await using gateway = await startMcpDaemon([httpTarget('one', `${server.origin}/mcp`)], {
      config: { connectionTerminationDeadline: '120s' },
    })
    const session = await initialize(gateway.url)
    await notify(gateway.url, session, 'notifications/initialized')
    const stream = await openStream(gateway.url, session)
    const began = performance.now()
    const exit = gateway.daemon.stop('SIGTERM')
    assert.equal(await stream.ended, 'whole')
    assert.equal(await exit, 0)
    assert.ok(performance.now() - began < 60_000, 'it did not wait for its deadline')
  })

  await t.test('does not end the sessions of servers, which other replicas continue', () => {
    assert.ok(!server.requests.some(({ method }) => method === 'DELETE'))
  })
})

test('an idle session is ended at its server too, with the credentials of its client', async () => {
  await using server = await startHandshaker()
  await using gateway = await startMcpDaemon([httpTarget('one', `${server.origin}/mcp`)], {
    config: { mcp: { sessionTtl: '200ms' } },
  })
  await initialize(gateway.url, { authorization: 'Bearer of-ann' })
  const deleted = await server.request(2)
  assert.equal(deleted.method, 'DELETE')
  assert.equal(deleted.headers['mcp-session-id'], 'session-of-the-server')
  assert.equal(deleted.headers.authorization, 'Bearer of-ann')
})

test('a connection error contains the name of the server', async () => {
  await using gateway = await startMcpDaemon([httpTarget('far-away', 'http://127.0.0.1:1/mcp')])
  const answer = await fetch(gateway.url, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    }),
  })
  const { error } = (await answer.json()) as { error: { message: string } }
  assert.match(error.message, /^mcp: target far-away: /)
})
