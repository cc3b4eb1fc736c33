/**
 * An MCP server of minimal cost: constant responses over HTTP, as JSON or as an event stream, and over stdio. TOOLS
 * is the number of tools that it lists; STDIO makes it read its input instead of a port.
 */
import http from 'node:http'
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string }
}

const count = Number(process.env.TOOLS ?? 1)
const tools = Array.from({ length: count }, (_, i) => ({
  name: `tool_${i}`,
  description: 'Says how the weather is in a place of the world, now or on one of the next days.',
  inputSchema: { type: 'object', properties: { place: { type: 'string' }, day: { type: 'integer' } } },
}))
let lists = 0

const resultOf = ({ method, params }: Message): object => {
  const base = { resultType: 'complete' }
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'bench', version: '1' },
    }
  if (method === 'server/discover')
    return {
      ...base,
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    }
  if (method === 'tools/list') {
    lists++
    return { ...base, tools, ttlMs: 60_000, cacheScope: 'public' }
  }
  return { ...base, content: [{ type: 'text', text: 'Sunny, and warmer than yesterday.' }] }
}

const answerTo = (message: Message): string | undefined =>
  message.id === undefined
    ? undefined
    : JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })

const overStdio = (): void => {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const answer = answerTo(JSON.parse(line) as Message)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
  })
}

const overHttp = (): void => {
  let sessions = 0
  const server = http.createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
    if (req.method === 'GET') {
      if (req.url === '/lists') res.end(String(lists))
      else res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      return
    }
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (chunk: string) => (text += chunk))
    req.on('end', () => {
      const message = (text ? JSON.parse(text) : {}) as Message
      const answer = answerTo(message)
      if (message.method === 'initialize') res.setHeader('mcp-session-id', `s${++sessions}`)
      if (answer === undefined) res.writeHead(202).end()
      else if (req.url === '/sse-answers')
        res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: message\ndata: ${answer}\n\n`)
      else res.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address && typeof address === 'object') process.send?.({ port: address.port })
  })
}

if (process.env.STDIO) overStdio()
else overHttp()
