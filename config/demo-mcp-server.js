/**
 * A small MCP server to try the gateway with: lines of JSON-RPC on stdin and stdout, nothing to install. It knows both
 * ways of the protocol, with a handshake (2024-11-05 to 2025-11-25) and without (2026-07-28).
 *
 * `gateway.yaml` next to it starts it for each client that asks for /mcp. Change it: the next client has the new one.
 */
import { stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'

const handshakes = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const modern = '2026-07-28'
const serverInfo = { name: 'agentgateway-demo', version: '1.0.0' }
const instructions = 'A server to try the gateway with. Its answers depend on nothing but the question.'
const capabilities = { tools: {}, prompts: {}, resources: {} }

const text = (value) => ({ content: [{ type: 'text', text: value }] })
const string = (description) => ({ type: 'string', description })
const number = (description) => ({ type: 'number', description })

/** What each tool takes, and what it does with it. */
const tools = {
  echo: {
    description: 'Says what it is told',
    properties: { message: string('What to say') },
    run: ({ message }) => text(message),
  },
  add: {
    description: 'Adds two numbers',
    properties: { a: number('The first'), b: number('The second') },
    run: ({ a, b }) => text(String(a + b)),
  },
  weekday: {
    description: 'Tells the day of the week of a date',
    properties: { date: string('A date, such as 2026-07-28') },
    run: ({ date }) => {
      const day = new Date(`${date}T00:00:00Z`)
      if (Number.isNaN(day.valueOf())) return { ...text(`${date} is no date`), isError: true }
      return text(day.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }))
    },
  },
}

const prompt = {
  name: 'introduce',
  description: 'Asks for an introduction',
  arguments: [{ name: 'topic', description: 'To what', required: true }],
}

const resource = { uri: 'demo://about', name: 'About', description: 'What this is', mimeType: 'text/plain' }

/** An error as JSON-RPC has it. */
class RpcError extends Error {
  constructor(code, message, data) {
    super(message)
    this.error = { code, message, ...(data && { data }) }
  }
}

const invalid = (message) => new RpcError(-32602, message)

/** Methods of both ways. */
const methods = {
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { description, properties }]) => ({
      name,
      description,
      inputSchema: { type: 'object', properties, required: Object.keys(properties) },
    })),
  }),
  'tools/call': ({ name, arguments: args = {} }) => {
    if (!Object.hasOwn(tools, name)) throw invalid(`Unknown tool: ${name}`)
    const { properties, run } = tools[name]
    for (const [key, { type }] of Object.entries(properties))
      if (typeof args[key] !== type) throw invalid(`${name}: ${key} must be a ${type}`)
    return run(args)
  },
  'prompts/list': () => ({ prompts: [prompt] }),
  'prompts/get': ({ name, arguments: args = {} }) => {
    if (name !== prompt.name) throw invalid(`Unknown prompt: ${name}`)
    const content = {
      type: 'text',
      text: `Introduce me to ${args.topic ?? 'MCP gateways'}, in three sentences.`,
    }
    return { messages: [{ role: 'user', content }] }
  },
  'resources/list': () => ({ resources: [resource] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }, isModern) => {
    const { mimeType } = resource
    if (uri !== resource.uri) throw new RpcError(isModern ? -32602 : -32002, 'Resource not found', { uri })
    return { contents: [{ uri, mimeType, text: 'This text came out of the demo server of agentgateway.\n' }] }
  },
}

const initialize = ({ protocolVersion }) => ({
  protocolVersion: handshakes.includes(protocolVersion) ? protocolVersion : handshakes[0],
  capabilities,
  serverInfo,
  instructions,
})

/** With a handshake. The session needs no memory: nothing here depends on what was said before. */
const answerLegacy = (method, params) => {
  if (method === 'initialize') return initialize(params)
  if (method === 'ping') return {}
  return call(method, params, false)
}

/** Without: each request says of itself which revision it means, and results say how long they hold. */
const answerModern = (method, params, requested) => {
  if (requested !== modern) {
    const supported = [modern, ...handshakes]
    throw new RpcError(-32022, 'Unsupported protocol version', { supported, requested })
  }
  const result =
    method === 'server/discover'
      ? { supportedVersions: [modern, ...handshakes], capabilities, instructions }
      : call(method, params, true)
  const holds = /\/(list|read|discover)$/.test(method) && { ttlMs: 60_000, cacheScope: 'public' }
  return {
    resultType: 'complete',
    ...holds,
    ...result,
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }
}

const call = (method, params, isModern) => {
  if (!Object.hasOwn(methods, method)) throw new RpcError(-32601, `Method not found: ${method}`)
  return methods[method](params, isModern)
}

const answer = ({ method, params = {} }) => {
  try {
    const requested = params._meta?.['io.modelcontextprotocol/protocolVersion']
    return {
      result:
        requested === undefined ? answerLegacy(method, params) : answerModern(method, params, requested),
    }
  } catch (error) {
    if (error instanceof RpcError) return { error: error.error }
    throw error
  }
}

for await (const line of createInterface({ input: stdin })) {
  const message = JSON.parse(line)
  if (message.method !== undefined && message.id !== undefined)
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message) })}\n`)
}
