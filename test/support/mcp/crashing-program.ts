/** A server over stdio whose tool `die` exits in the middle of the call, after a private text on stderr. */
import { createInterface } from 'node:readline'

interface Received {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string }
}

const tools = ['fine', 'die', 'hidden'].map((name) => ({ name, inputSchema: { type: 'object' } }))

const results: Readonly<Record<string, (params: Received['params']) => unknown>> = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'mortal', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => {
    if (params?.name === 'die') {
      process.stderr.write('password=hunter2\n')
      process.exit(7)
    }
    return { content: [{ type: 'text', text: `${params?.name ?? ''} done` }] }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method = '', params } = JSON.parse(line) as Received
  if (id === undefined) return
  const result = results[method]?.(params)
  const outcome = result === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`)
})
