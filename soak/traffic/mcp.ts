import { expectOneOf, type Traffic, type TrafficTarget, withTimeout } from './traffic.ts'

const post = (
  { url }: TrafficTarget,
  message: object,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    signal,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })

const revision = '2025-11-25'

/** A session: a tool call, an event stream that is left, and only in half of the cases a proper end. */
const sessions: Traffic = {
  name: 'MCP sessions',
  clients: 1,
  pauseMs: 1_500,
  call: (target, count) =>
    withTimeout('MCP sessions', async (signal) => {
      const clientInfo = { name: 'soak', version: '1' }
      const params = { protocolVersion: revision, capabilities: {}, clientInfo }
      const first = await post(target, { id: 0, method: 'initialize', params }, {}, signal)
      await first.text()
      expectOneOf('the status of initialize', first.status, 200)
      const session = {
        'mcp-session-id': first.headers.get('mcp-session-id') ?? '',
        'mcp-protocol-version': revision,
      }
      await (await post(target, { method: 'notifications/initialized' }, session, signal)).text()
      const leaving = new AbortController()
      const stream = fetch(`${target.url}/mcp`, {
        headers: { accept: 'text/event-stream', ...session },
        signal: leaving.signal,
      })
      stream.catch(() => undefined)
      const call = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: count, b: 1 } } }
      const answer = await (await post(target, call, session, signal)).text()
      expectOneOf('the sum in the answer', answer.includes(String(count + 1)), true)
      leaving.abort()
      if (count % 2 === 0) return
      const end = await fetch(`${target.url}/mcp`, { method: 'DELETE', headers: session, signal })
      await end.text()
      expectOneOf('the status of DELETE', end.status, 200, 202, 204)
    }),
}

/** Calls of the revision without sessions. */
const withoutSessions: Traffic = {
  name: 'MCP calls',
  clients: 1,
  pauseMs: 200,
  call: (target, count) =>
    withTimeout('MCP calls', async (signal) => {
      const params = {
        name: 'add',
        arguments: { a: count, b: 1 },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      }
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }
      const response = await post(target, { id: count, method: 'tools/call', params }, headers, signal)
      const answer = await response.text()
      expectOneOf('the status', response.status, 200)
      expectOneOf('the sum in the answer', answer.includes(String(count + 1)), true)
    }),
}

/** Traffic for MCP servers. */
export const mcpTraffic: readonly Traffic[] = [sessions, withoutSessions]
