import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import { EverythingLegacyHttp } from './everything-legacy-http.ts'
import { isModern } from './everything-modern.ts'
import { modernPost } from './everything-modern-http.ts'
import { Hub } from './hub.ts'
import { Tasks } from './tasks.ts'

/** The revisions of the fixture, and its transports. */
export interface EverythingOptions {
  /** Both by default. */
  readonly era?: 'both' | 'legacy' | 'modern'
  /** The handshake revisions without sessions. */
  readonly stateless?: boolean
}

/** The fixture: an MCP server with the tools, prompts and resources that the conformance suite calls. */
export interface EverythingServer extends AsyncDisposable {
  readonly origin: string
  /** Of the streamable transport; `origin` and `/sse` is the older one. */
  readonly url: string
  readonly hub: Hub
  readonly legacy: EverythingLegacyHttp
  /** Methods and header fields in the order of their arrival. */
  readonly heard: { readonly method: string; readonly headers: IncomingMessage['headers'] }[]
}

/** Starts it on 127.0.0.1 and a free port. */
export const startEverything = async (options: EverythingOptions = {}): Promise<EverythingServer> => {
  const { era = 'both', stateless = false } = options
  const hub = new Hub()
  const legacy = new EverythingLegacyHttp(hub, !stateless)
  const modern = {
    hub,
    tasks: new Tasks(),
    supported: era === 'modern' ? ['2026-07-28'] : ['2026-07-28', '2025-11-25'],
  }
  const heard: EverythingServer['heard'] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture')
    if (!isLocal(request)) {
      response.writeHead(403).end()
      return
    }
    const message = request.method === 'POST' ? await body(request) : undefined
    heard.push({ method: message?.method ?? request.method ?? '', headers: request.headers })
    if (pathname === '/sse' && request.method === 'GET') await legacy.stream(response)
    else if (pathname === '/messages')
      await legacy.message(request, response, searchParams.get('sessionId') ?? '', message)
    else if (pathname !== '/mcp') response.writeHead(404).end()
    else if (message !== undefined && (era === 'modern' || (era === 'both' && asksModern(request, message))))
      await modernPost(modern, request, response, message)
    else if (era === 'modern') response.writeHead(405, { allow: 'POST' }).end()
    else await legacy.streamable(request, response, message)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.destroy(error as Error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    origin,
    url: `${origin}/mcp`,
    hub,
    legacy,
    heard,
    async [Symbol.asyncDispose]() {
      await legacy.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const legacyRevisions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])

/** A header with none of the older revisions means the newer protocol, and so does the body. */
const asksModern = (request: IncomingMessage, message: JsonRpcRequest): boolean => {
  const version = request.headers['mcp-protocol-version']
  return (typeof version === 'string' && !legacyRevisions.has(version)) || isModern(message)
}

const isLocal = ({ headers }: IncomingMessage): boolean => {
  const names = [headers.host ?? '', ...(headers.origin === undefined ? [] : [new URL(headers.origin).host])]
  return names.every((name) => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(name))
}

const body = async (request: IncomingMessage): Promise<JsonRpcRequest & { readonly params?: JsonObject }> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as JsonRpcRequest & { readonly params?: JsonObject }
}
