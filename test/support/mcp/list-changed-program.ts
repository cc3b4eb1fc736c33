/** An MCP server over stdio that sends list_changed for its tools after each call. */
import { createInterface } from 'node:readline'

const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'telling', version: '1' },
  },
  'tools/list': { tools: [{ name: 'tell', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'soon' }] },
}

createInterface(process.stdin).on('line', (line) => {
  const { id, method = '' } = JSON.parse(line) as { id?: unknown; method?: string }
  if (id === undefined) return
  say({ id, result: results[method] ?? {} })
  if (method === 'tools/call') say({ method: 'notifications/tools/list_changed' })
})
