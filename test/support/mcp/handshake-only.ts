/** A server over stdio that supports only handshakes, with one tool. It starts as fast as a program can. */
import { createInterface } from 'node:readline'

const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'handshake-only', version: '1.0.0' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'old', description: 'Is old', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'old' }] },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method = '' } = JSON.parse(line) as { readonly id?: number; readonly method?: string }
  const result = results[method]
  const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
}
