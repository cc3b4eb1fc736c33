import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startExample } from '../../test/support/example.ts'

test('examples/mcp-limits', async (t) => {
  await using daemon = await startExample('mcp-limits')
  const client = new Client({ name: 'example', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', daemon.url('default'))))
  t.after(() => client.close())
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).content
  const weekday = () => call('weekday', { date: '2026-07-28' })

  await t.test('limits the expensive tool only', async () => {
    for (let i = 0; i < 2; i++) assert.deepEqual(await weekday(), [{ type: 'text', text: 'Tuesday' }])
    await assert.rejects(weekday(), /rate limit exceeded/)
    assert.deepEqual(await call('add', { a: 1, b: 2 }), [{ type: 'text', text: '3' }])
    assert.equal((await client.listTools()).tools.length, 3)
  })

  await t.test('sends retry-after in HTTP, and the request id in JSON-RPC', async () => {
    const answer = await fetch(new URL('/mcp', daemon.url('default')), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"weekday"}}',
    })
    assert.equal(answer.status, 429)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
    assert.deepEqual(await answer.json(), {
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32600, message: 'rate limit exceeded' },
    })
  })

  await t.test('refuses calls by their arguments', async () => {
    assert.deepEqual(await call('echo', { message: 'short' }), [{ type: 'text', text: 'short' }])
    await assert.rejects(call('echo', { message: 'long'.repeat(21) }), /authorization failed/)
  })
})
