/**
 * A program for the conformance suite: starts a gateway in front of the given server, and uses that with the official
 * client.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { httpTarget, startMcpDaemon } from './mcp-daemon.ts'

const url = process.argv.at(-1) ?? ''
const newest = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28'
const mode = newest ? { pin: '2026-07-28' } : 'legacy'

const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
}

const sampleOf = (schema: { readonly type?: unknown; readonly default?: unknown }): unknown => {
  if (schema.default !== undefined) return schema.default
  if (schema.type === 'number' || schema.type === 'integer') return 5
  return schema.type === 'boolean' ? true : 'word'
}

await using gateway = await startMcpDaemon([httpTarget('server', url)])
const client = new Client(
  { name: 'through-gateway', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } }, versionNegotiation: { mode } },
)
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
const { tools } = await client.listTools()
for (const { name, arguments: args } of toolCalls ?? []) await client.callTool({ name, arguments: args })
for (const { name, inputSchema } of toolCalls ? [] : tools) {
  const properties = Object.entries((inputSchema.properties ?? {}) as Record<string, object>)
  const args = Object.fromEntries(properties.map(([key, schema]) => [key, sampleOf(schema)]))
  await client.callTool({ name, arguments: args }).catch(() => undefined)
}
await client.close()
