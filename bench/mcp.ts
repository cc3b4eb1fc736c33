/** The cost of MCP: a tool call beside the same POST through the bare proxy, its latency, sessions, and large lists. */
import { compare, ratio, stopAll } from './proxy.ts'
import { coldStartFigures } from './mcp-cold-start.ts'
import { sessionFigures } from './mcp-sessions.ts'
import { configuration, startGateway } from './support/gateway.ts'
import { addedBeside } from './support/latency.ts'
import { CALL, initialize, route, VERSION } from './support/mcp-client.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const LIST_TARGETS = 10
const LIST_TOOLS = 100
const LIST_REQUESTS = 200

export const mcpFigures = async (): Promise<Figure[]> => [
  ...(await callFigures()),
  ...(await sessionFigures()),
  ...(await listFigures()),
  ...(await coldStartFigures(listOnce)),
]

/** The transport of the server: JSON responses, event streams, or a pipe. */
const callFigures = async (): Promise<Figure[]> => {
  const server = await start('./mcp-server.ts')
  const { port } = new URL(server.url)
  const bare = await start('./bare-proxy.ts', { UPSTREAM: server.url })
  const targets = {
    json: `mcp: { host: "http://127.0.0.1:${port}/mcp" }`,
    sse: `mcp: { host: "http://127.0.0.1:${port}/sse-answers" }`,
    stdio: `stdio: { cmd: "${process.execPath}", args: ["${scriptOf('mcp-server.ts')}"], env: { STDIO: "1" } }`,
  }
  const figures: Figure[] = []
  for (const [name, target] of Object.entries(targets)) {
    const gateway = await startGateway(configuration(route([`{ name: one, ${target} }`])))
    const session = await initialize(`${gateway.url}/mcp`)
    const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': session, ...VERSION }
    // A session must not use an id twice at a time.
    const load = { name, connections: 16, method: 'POST' as const, body: CALL, headers, numbered: true }
    const direct = name === 'sse' ? '/sse-answers' : '/mcp'
    const [a = [], b = []] = await compare(
      [
        { pid: gateway.pid, url: `${gateway.url}/mcp` },
        { pid: bare.pid, url: bare.url + direct },
      ],
      { ...load, path: '' },
    )
    figures.push({
      name: `mcp.call.${name}.ratio`,
      value: ratio(a, b),
      unit: '× bare',
      note: `gateway ${median(a).toFixed(1)} µs, bare ${median(b).toFixed(1)} µs`,
    })
    const own = { ...headers, 'content-type': 'application/json' }
    const post = (count: number) => ({
      method: 'POST',
      headers: own,
      body: CALL.replace('"id":1', `"id":${count}`),
    })
    const straight = (count: number) => ({ url: server.url + direct, ...post(count) })
    const { ours, others, more } = await addedBeside(
      (count) => ({ url: `${gateway.url}/mcp`, ...post(count) }),
      (count) => ({ url: bare.url + direct, ...post(count) }),
      straight,
    )
    figures.push({
      name: `mcp.call.${name}.addedMs`,
      value: more,
      unit: 'ms',
      note: `median at 200 calls a second, beside the bare proxy; beside the same call without either: ${ours.toFixed(2)} ms, the bare proxy ${others.toFixed(2)} ms`,
    })
    await gateway.stop()
  }
  await stopAll([server, bare])
  return figures
}

/** Cacheable lists: however many clients request them, each server is called once. */
const listFigures = async (): Promise<Figure[]> => {
  const servers = await Promise.all(
    Array.from({ length: LIST_TARGETS }, () => start('./mcp-server.ts', { TOOLS: String(LIST_TOOLS) })),
  )
  const gateway = await startGateway(
    configuration(route(servers.map(({ url }, i) => `{ name: t${i}, mcp: { host: "${url}/mcp" } }`))),
  )
  const headers = { ...MODERN, 'mcp-method': 'tools/list' }
  const list = async (): Promise<void> => {
    const answer = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: LIST })
    const text = await answer.text()
    if (text.split('"inputSchema"').length !== LIST_TARGETS * LIST_TOOLS + 1)
      throw new Error('tools are missing')
  }
  for (let i = 0; i < LIST_REQUESTS; i++) await list()
  const asked = await Promise.all(
    servers.map(async ({ url }) => Number(await (await fetch(`${url}/lists`)).text())),
  )
  await stopAll([gateway, ...servers])
  return [
    {
      name: 'mcp.list.askedPerServer',
      value: Math.max(...asked),
      unit: 'times',
      note: `${LIST_REQUESTS} lists of ${LIST_TARGETS} × ${LIST_TOOLS} tools`,
    },
  ]
}

/** A list request of a client without a session. */
const listOnce = async (url: string): Promise<void> => {
  const headers = { ...MODERN, 'mcp-method': 'tools/list' }
  const answer = await fetch(url, { method: 'POST', headers, body: LIST })
  const text = await answer.text()
  if (!text.includes('"inputSchema"')) throw new Error(`no list: ${answer.status} ${text}`)
}

const scriptOf = (name: string): string => new URL(`./support/${name}`, import.meta.url).pathname

const MODERN = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2026-07-28',
}
const LIST = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
