import { get, type ServerResponse } from 'node:http'
import type { ScriptedRequest } from './scripted-server.ts'

type Fields = Readonly<Record<string, string>>

const own: Fields = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** Completes a handshake of 2025-11-25, and returns the session. */
export const initialize = async (url: string, fields: Fields = {}): Promise<string> => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'plain', version: '1' } },
  })
  const answer = await fetch(url, { method: 'POST', headers: { ...own, ...fields }, body })
  const text = await answer.text()
  const session = answer.headers.get('mcp-session-id')
  if (session === null) throw new Error(`no session: ${answer.status} ${text}`)
  return session
}

/** Sends a notification in a session, and returns the status. */
export const notify = async (url: string, session: string, method: string): Promise<number> => {
  const headers = { ...own, 'mcp-session-id': session }
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', method }),
  })
  await answer.arrayBuffer()
  return answer.status
}

/** Opens the stream of a session; `ended` is whether it ended properly or was aborted. */
export const openStream = (
  url: string,
  session: string,
): Promise<{ readonly ended: Promise<'whole' | 'cut'> }> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session }
    get(url, { agent: false, headers }, (answer) => {
      answer.resume()
      const ended = new Promise<'whole' | 'cut'>((settle) => {
        answer.on('error', () => undefined)
        answer.on('close', () => {
          settle(answer.complete ? 'whole' : 'cut')
        })
      })
      if (answer.statusCode === 200) resolve({ ended })
      else reject(new Error(`status ${answer.statusCode ?? 0}`))
    }).on('error', reject)
  })

/** Responds to a handshake like a server with sessions. */
export const respondToInitialize = (
  { body }: ScriptedRequest,
  response: ServerResponse,
  session: string,
): void => {
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1' },
  }
  response
    .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
    .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
}

/** Sends a request in a session, and returns the complete response. */
export const requestInSession = async (
  url: string,
  session: string,
  method: string,
  params?: object,
): Promise<{ readonly status: number; readonly text: string }> => {
  const headers = { ...own, 'mcp-session-id': session }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
  const answer = await fetch(url, { method: 'POST', headers, body })
  return { status: answer.status, text: await answer.text() }
}
