import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerRefused } from '../../../../src/upstream/mcp/http-status-error.ts'
import { StreamableHttpTransport } from '../../../../src/upstream/mcp/streamable-http/transport.ts'
import type { RequestContext, McpCall, Transport } from '../../../../src/upstream/mcp/transport.ts'
import { startEverything } from '../../../support/mcp/everything-server.ts'
import { startSdkModern } from '../../../support/mcp/sdk-modern-server.ts'
import { requestContextTo } from '../../../support/mcp/send-to.ts'
import { initializeTransport } from '../../../support/mcp/initialize-transport.ts'
import { TransportRecorder } from '../../../support/mcp/transport-recorder.ts'

const start = (
  transport: Transport,
  call: McpCall,
  context: RequestContext,
  recorder = new TransportRecorder(),
) => {
  const abandon = transport.call(call, context, recorder)
  return Object.assign(recorder, { giveUp: abandon })
}

const tool = (name: string, meta?: object): McpCall => ({
  method: 'tools/call',
  params: { name, arguments: { message: 'Who are you?' }, ...(meta && { _meta: meta }) },
})

const textOf = ({ outcome }: TransportRecorder): unknown => {
  assert.ok(outcome && 'result' in outcome, JSON.stringify(outcome))
  return (outcome.result.content as { readonly text: string }[])[0]?.text
}

test('streamable HTTP with the official server', async (t) => {
  await t.test('has a session, from the handshake to its end', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const context = requestContextTo(server.origin)
    const transport = new StreamableHttpTransport('sdk', '/mcp', { era: 'legacy' })
    await initializeTransport(transport, context, '2025-11-25')
    assert.match(transport.sessionId ?? '', /^[\da-f-]{36}$/)

    const { outcome } = await start(transport, { method: 'tools/list' }, context).over
    assert.ok(outcome && 'result' in outcome && (outcome.result.tools as unknown[]).length > 5)

    const reporting = await start(
      transport,
      tool('test_tool_with_progress', { progressToken: 'mine' }),
      context,
    ).over
    assert.equal(textOf(reporting), 'Progress has been told')
    assert.deepEqual(
      reporting.messages.map(({ params }) => params),
      [0, 50, 100].map((progress) => ({ progressToken: 'mine', progress, total: 100 })),
    )
    assert.equal(server.legacy.sessions, 1)
    transport.close(context)
    // Another session is distinguished from the ended one.
    const late = new StreamableHttpTransport('sdk', '/mcp', {
      era: 'legacy',
      sessionId: transport.sessionId,
      revision: '2025-11-25',
    })
    let fault: unknown
    do ({ fault } = await start(late, { method: 'ping' }, context).over)
    while (!fault)
    assert.ok(fault instanceof ServerRefused && fault.status === 404)
    assert.equal(server.legacy.sessions, 0)
  })

  await t.test('responds to its requests in the middle of a call', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const context = requestContextTo(server.origin)
    const transport = new StreamableHttpTransport('sdk', '/mcp', { era: 'legacy' })
    await initializeTransport(transport, context, '2025-06-18')
    const recorder = new TransportRecorder((asked) => {
      if ('id' in asked)
        transport.respond(
          asked.id,
          { result: { action: 'accept', content: { username: 'Ada' } } },
          context,
          () => undefined,
        )
    })
    await start(transport, tool('test_elicitation'), context, recorder).over
    assert.equal(recorder.messages[0]?.method, 'elicitation/create')
    assert.equal(textOf(recorder), 'User response: action=accept, content={"username":"Ada"}')
    transport.close(context)
  })

  await t.test('resumes a stream that the server closed', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const context = requestContextTo(server.origin)
    const transport = new StreamableHttpTransport('sdk', '/mcp', { era: 'legacy' })
    await initializeTransport(transport, context, '2025-11-25')
    assert.equal(
      textOf(await start(transport, tool('test_reconnection'), context).over),
      'Said after the stream was closed',
    )
    assert.ok(server.heard.some(({ headers }) => headers['last-event-id'] !== undefined))
    transport.close(context)
  })

  await t.test('receives messages without a call', async () => {
    await using server = await startEverything({ era: 'legacy' })
    const context = requestContextTo(server.origin)
    const transport = new StreamableHttpTransport('sdk', '/mcp', { era: 'legacy' })
    await initializeTransport(transport, context, '2025-06-18')
    const listener = new TransportRecorder()
    transport.listen(context, listener)
    // Sent until it is received: the opening of the stream is not observable.
    const telling = setInterval(() => server.hub.changed({ kind: 'tools' }), 5)
    await listener.has(1)
    clearInterval(telling)
    assert.equal(listener.messages[0]?.method, 'notifications/tools/list_changed')
    transport.close(context)
  })

  await t.test('works without a session if the server has none', async () => {
    await using server = await startEverything({ era: 'legacy', stateless: true })
    const context = requestContextTo(server.origin)
    const transport = new StreamableHttpTransport('sdk', '/mcp', { era: 'legacy' })
    await initializeTransport(transport, context, '2025-03-26')
    assert.equal(transport.sessionId, undefined)
    assert.equal(
      textOf(await start(transport, tool('test_simple_text'), context).over),
      'This is a simple text response for testing.',
    )
    transport.close(context)
    assert.ok(server.heard.every(({ method }) => method !== 'DELETE'))
  })
})

test('streamable HTTP with the official server of 2026-07-28', async (t) => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const wireTo = () => new StreamableHttpTransport('sdk', '/mcp', { era: 'modern', revision: '2026-07-28' })

  await t.test('discovers, lists and calls, with progress', async () => {
    await using server = await startSdkModern()
    const context = requestContextTo(server.origin)
    const transport = wireTo()
    for (const method of ['server/discover', 'tools/list']) {
      const { outcome, fault } = await start(transport, { method, params: { _meta: meta } }, context).over
      assert.ok(outcome && 'result' in outcome, fault?.message)
    }
    const reporting = await start(transport, tool('report', { ...meta, progressToken: 'mine' }), context).over
    assert.equal(textOf(reporting), 'done')
    assert.deepEqual(
      reporting.messages.map(({ params }) => params),
      [{ progressToken: 'mine', progress: 1 }],
    )
    assert.equal(transport.sessionId, undefined)
  })

  await t.test('receives notifications on an open call, and cancels calls by disconnecting', async () => {
    await using server = await startSdkModern()
    const context = requestContextTo(server.origin)
    const transport = wireTo()
    const params = { _meta: meta, notifications: { toolsListChanged: true } }
    const listening = start(transport, { method: 'subscriptions/listen', params }, context)
    await listening.has(1)
    server.toolsChanged()
    await listening.has(2)
    assert.deepEqual(
      listening.messages.map(({ method }) => method),
      ['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed'],
    )
    listening.giveUp()
    const waiting = start(transport, tool('wait', { ...meta, progressToken: 1 }), context)
    await waiting.has(1)
    waiting.giveUp()
    await server.abandoned
    assert.deepEqual([listening.ends, waiting.ends], [0, 0])
  })

  await t.test('gets the error in the body of a refusal', async () => {
    await using server = await startSdkModern()
    const unknown = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const call = { method: 'tools/list', params: { _meta: unknown } }
    const { fault } = await start(wireTo(), call, requestContextTo(server.origin)).over
    assert.ok(fault instanceof ServerRefused)
    const { error } = JSON.parse(fault.body.toString()) as { readonly error: { readonly code: number } }
    assert.deepEqual([fault.status, error.code], [400, -32022])
  })
})
