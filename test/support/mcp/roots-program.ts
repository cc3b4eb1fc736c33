/** A server over stdio that requests roots of its client at any time, and returns the responses. */
import { createInterface } from 'node:readline'

interface Received {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: { readonly count?: number } }
}

const answers: Received[] = []
let told = (): void => undefined
const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
let unsolicited = 0
const ask = (method = 'roots/list'): void => {
  say({ id: `q${++unsolicited}`, method })
}

/** Waits for so many responses. */
const answered = async (count: number): Promise<void> => {
  while (answers.length < count)
    await new Promise<void>((resolve) => {
      told = resolve
    })
}

const tools = ['answers', 'later', 'during'].map((name) => ({ name, inputSchema: { type: 'object' } }))

const calls: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  answers: async (count) => {
    await answered(count)
    return answers
  },
  // The requests are written with the response: the gateway reads them before the next call.
  later: () => {
    process.stdout.cork()
    setImmediate(() => {
      ask()
      ask('ping')
      process.stdout.uncork()
    })
    return Promise.resolve('asks later')
  },
  during: async () => {
    const before = answers.length
    ask()
    await answered(before + 1)
    return answers.at(-1)
  },
}

const results: Readonly<Record<string, (params: Received['params']) => Promise<object> | object>> = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'curious', version: '1' },
  }),
  'tools/list': () => {
    ask()
    return { tools }
  },
  'tools/call': async (params) => {
    const said = await calls[params?.name ?? '']?.(params?.arguments?.count ?? 0)
    return { content: [{ type: 'text', text: JSON.stringify(said) }] }
  },
}

const read = async (message: Received): Promise<void> => {
  const { id, method, params } = message
  if (method === undefined) {
    answers.push(message)
    told()
  } else if (id === undefined) {
    if (method === 'notifications/initialized') ask()
  } else {
    const result = await results[method]?.(params)
    say({ id, ...(result ? { result } : { error: { code: -32_601, message: 'no such method' } }) })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void read(JSON.parse(line) as Received))
