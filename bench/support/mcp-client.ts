/** A route to these targets. */
export const route = (targets: readonly string[]): string => `  - backends:
      - mcp:
          targets:
${targets.map((target) => `            - ${target}`).join('\n')}
`

/** Initializes a session and returns its id. */
export const initialize = async (url: string): Promise<string> => {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const first = await fetch(url, { method: 'POST', headers, body: INITIALIZE })
  await first.text()
  const session = first.headers.get('mcp-session-id')
  if (session === null) throw new Error(`no session: ${first.status}`)
  const own = { ...headers, 'mcp-session-id': session, ...VERSION }
  await (await fetch(url, { method: 'POST', headers: own, body: INITIALIZED })).text()
  return session
}

/** The headers of every request of a session. */
export const VERSION = { 'mcp-protocol-version': '2025-11-25' }

/** A tool call; its id is 1. */
export const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'tool_0', arguments: { place: 'Zürich', day: 3 } },
})

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})
const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
