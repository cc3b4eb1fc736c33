/**
 * A stdio server of an older revision that computes for a while before it responds, as real ones load their modules.
 */
import { createInterface } from 'node:readline'

const work = Number(process.env.WORK_MS ?? 300)
const began = process.cpuUsage()
let spent = 0
while (spent < work * 1_000) {
  const { user, system } = process.cpuUsage(began)
  spent = user + system
}

const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'slow', version: '1' },
  },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method = '' } = JSON.parse(line) as { readonly id?: number; readonly method?: string }
  if (id === undefined) return
  const result = results[method]
  const outcome = result === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
})
