import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { startExample } from '../../test/support/example.ts'
import { startProgram } from '../../test/support/program.ts'
import { until } from '../../test/support/stream-body.ts'

test('examples/mcp-guardrails', async (t) => {
  await using guard = await startProgram('examples/mcp-guardrails/guard.ts')
  await using daemon = await startExample('mcp-guardrails', { GUARD: guard.host })
  const client = new Client({ name: 'example', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', daemon.url('default'))))
  t.after(() => client.close())
  const echo = async (message: string) =>
    (await client.callTool({ name: 'echo', arguments: { message } })).content

  await t.test('passes calls', async () => {
    assert.deepEqual(await echo('good day'), [{ type: 'text', text: 'good day' }])
    await until(() => guard.lines.some((line) => line.startsWith('tools/call {"name":"echo"')), 'the line')
  })

  await t.test('refuses calls about passwords', async () => {
    await assert.rejects(echo('my password is x'), { code: -32001, message: /passwords stay here/ })
  })

  await t.test('masks card numbers', async () => {
    assert.deepEqual(await echo('pay with 1234 5678 1234 5678'), [{ type: 'text', text: 'pay with hidden' }])
  })

  await t.test('blocks everything while the service is down', async () => {
    await guard[Symbol.asyncDispose]()
    await assert.rejects(echo('good day'), { code: -32603, message: /mcpGuardrails checkRequest failed/ })
  })
})
