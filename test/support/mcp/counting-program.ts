/**
 * A server over stdio that supports only handshakes. It records each of its starts, keeps a counter, and lists another
 * tool after a call of `grow`. Some servers of this kind fail after any request before the handshake: so does this one
 * with the argument `spoils`.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

interface Received {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly protocolVersion?: string }
}

const [starts = '', before = 'answers'] = process.argv.slice(2)
appendFileSync(starts, 'start\n')
const names = ['count', 'grow']
let count = 0

const say = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const results: Readonly<Record<string, (params: Received['params']) => unknown>> = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'counting', version: '1' },
  }),
  'tools/list': () => {
    appendFileSync(starts, 'list\n')
    return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
  },
  'tools/call': (params) => {
    if (params?.name === 'wait') return undefined
    if (params?.name === 'grow') {
      names.push(`more${names.length}`)
      say({ method: 'notifications/tools/list_changed' })
    }
    return { content: [{ type: 'text', text: String(++count) }] }
  },
}

let state: 'new' | 'greeted' | 'spoiled' = 'new'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method = '', params } = JSON.parse(line) as Received
  if (id === undefined) return
  if (state === 'new') state = method === 'initialize' ? 'greeted' : before === 'spoils' ? 'spoiled' : 'new'
  if (state === 'new' && before === 'falls silent') state = 'spoiled'
  else if (state === 'spoiled' && before === 'falls silent') return
  const result = state === 'greeted' ? results[method]?.(params) : undefined
  say({
    id,
    ...(result === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result }),
  })
})
