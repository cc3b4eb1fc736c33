import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { httpTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { RawMcp } from '../../support/mcp/raw-mcp.ts'

/** The fields of a line of the log, in their order. */
const fieldsOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    [...line.matchAll(/([\w.]+)=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )

const mcpFieldsOf = (line: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsOf(line)).filter(([name]) => /^(?:mcp|gen_ai)\./.test(name)))

suite('what MCP clients do can be seen', () => {
  test('in the access log', async () => {
    await using fixture = await startEverything({ era: 'legacy' })
    await using gateway = await startMcpDaemon([
      httpTarget('one', fixture.url),
      httpTarget('two', fixture.url),
    ])
    const client = new RawMcp(gateway.url)
    const { session = '' } = await client.open()
    await client.legacy('tools/list')
    await client.legacy('tools/call', { name: 'two_test_simple_text', arguments: { secret: 'in arguments' } })
    await client.legacy('resources/read', { uri: 'one+test://static-text' })
    await client.legacy('tools/call', { name: 'three_nothing' })
    await gateway.daemon.printed(/three_nothing/)
    const lines = gateway.daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('\trequest '))
    const id = mcpFieldsOf(lines[0] ?? '')['mcp.session.id'] ?? ''
    assert.match(id, /^[0-9a-f]{16}$/)
    assert.deepEqual(lines.map(mcpFieldsOf), [
      { 'mcp.method.name': 'initialize', 'mcp.session.id': id },
      { 'mcp.method.name': 'notifications/initialized', 'mcp.session.id': id },
      { 'mcp.method.name': 'tools/list', 'mcp.resource.type': 'tool', 'mcp.session.id': id },
      {
        'mcp.method.name': 'tools/call',
        'mcp.target': 'two',
        'mcp.resource.type': 'tool',
        'gen_ai.tool.name': 'test_simple_text',
        'mcp.session.id': id,
      },
      {
        'mcp.method.name': 'resources/read',
        'mcp.target': 'one',
        'mcp.resource.type': 'resource',
        'mcp.resource.uri': 'test://static-text',
        'mcp.session.id': id,
      },
      {
        'mcp.method.name': 'tools/call',
        'mcp.session.id': id,
        'mcp.error.code': '-32602',
        'mcp.error.message': '"Unknown tool: three_nothing"',
      },
    ])
    assert.ok(session.length > 20 && !gateway.daemon.output().includes(session.slice(0, 20)))
    assert.doesNotMatch(gateway.daemon.output(), /in arguments/)
  })
})
