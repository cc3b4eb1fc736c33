import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const server = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

for (const mode of ['legacy', 'auto'] as const)
  test(`the demo server answers a client that negotiates ${mode}`, async () => {
    const client = new Client({ name: 'demo', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [server] }))
    try {
      assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25')
      assert.equal(client.getServerVersion()?.name, 'agentgateway-demo')
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['echo', 'add', 'weekday'],
      )
      const said = async (name: string, args: Record<string, unknown>) =>
        (await client.callTool({ name, arguments: args })).content
      assert.deepEqual(await said('echo', { message: 'hi' }), [{ type: 'text', text: 'hi' }])
      assert.deepEqual(await said('add', { a: 40, b: 2 }), [{ type: 'text', text: '42' }])
      assert.deepEqual(await said('weekday', { date: '2026-07-28' }), [{ type: 'text', text: 'Tuesday' }])
      await assert.rejects(said('nothing', {}), { code: -32602 })
      await assert.rejects(said('add', { a: '40', b: 2 }), /a must be a number/)
      const { messages } = await client.getPrompt({ name: 'introduce', arguments: { topic: 'tea' } })
      assert.match(JSON.stringify(messages), /Introduce me to tea/)
      const { resources } = await client.listResources()
      const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' })
      assert.match(JSON.stringify(contents), /demo server/)
    } finally {
      await client.close()
    }
  })
