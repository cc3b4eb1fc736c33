import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

const folder = new URL('../../../config', import.meta.url).pathname
const server = `${folder}/demo-mcp-server.js`

for (const mode of ['legacy', 'auto'] as const)
  test(`the demo server serves a client that negotiates ${mode}`, async () => {
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

test('the bundled configuration serves the demo server, and logs a command to try it', async () => {
  const text = readFileSync(`${folder}/gateway.yaml`, 'utf8').replaceAll(/port: \d+/g, 'port: 0')
  await using daemon = await startDaemon(`${anyPorts}${text}`, { env: { CONFIG_DIR: folder } })
  const [, url = ''] = await daemon.printed(/--cli (\S+) --transport http --method tools\/list/)
  assert.equal(url, `${daemon.url('default').replace('[::]', '127.0.0.1')}/mcp`)
  for (const address of [url, `${url}/`]) {
    const other = new Client({ name: 'either', version: '1.0.0' })
    await other.connect(new StreamableHTTPClientTransport(new URL(address)))
    assert.equal(other.getServerVersion()?.name, 'agentgateway-demo', address)
    await other.close()
  }
  const client = new Client({ name: 'demo', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const { content } = await client.callTool({ name: 'add', arguments: { a: 40, b: 2 } })
  assert.deepEqual(content, [{ type: 'text', text: '42' }])
  await client.close()
})

test('the demo server does not need `node` on the PATH', async () => {
  const stdio = { cmd: 'node', args: [server], env: { PATH: '/nowhere' }, clear_env: true }
  await using gateway = await startMcpDaemon([{ name: 'demo', stdio }])
  const client = new Client({ name: 'demo', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
  assert.equal((await client.listTools()).tools.length, 3)
  await client.close()
})
