import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer, type ServerContext } from '@modelcontextprotocol/server'

/** A server of 2026-07-28 of the official SDK. */
export interface SdkModernServer extends AsyncDisposable {
  readonly origin: string
  /** Notifies all listeners that the tools have changed. */
  toolsChanged(): void
  /** Resolves when a call of the tool `wait` was cancelled. */
  readonly abandoned: Promise<undefined>
}

/** Starts it, with the tools `report` and `wait`: both report progress, and the second never returns. */
export const startSdkModern = async (): Promise<SdkModernServer> => {
  const { promise: abandoned, resolve } = Promise.withResolvers<undefined>()
  const handler = createMcpHandler(
    () => {
      const mcp = new McpServer(
        { name: 'sdk', version: '1.0.0' },
        { capabilities: { tools: { listChanged: true } } },
      )
      mcp.registerTool('report', { description: 'Says how far it is' }, async (context) => {
        await progress(context)
        return { content: [{ type: 'text', text: 'done' }] }
      })
      mcp.registerTool('wait', { description: 'Never answers' }, async (context) => {
        context.mcpReq.signal.addEventListener('abort', () => resolve(undefined))
        await progress(context)
        return new Promise(() => undefined)
      })
      return mcp
    },
    { legacy: 'reject' },
  )
  const server = createServer((incoming, response) => {
    answer(incoming, response, (request) => handler.fetch(request)).catch((error: unknown) =>
      response.destroy(error as Error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    toolsChanged: () => handler.notify.toolsChanged(),
    abandoned,
    async [Symbol.asyncDispose]() {
      await handler.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const progress = async ({ mcpReq }: ServerContext): Promise<void> => {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
}

const answer = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const { status, headers, body } = await fetch(
    new Request(`http://${incoming.headers.host ?? ''}${incoming.url ?? '/'}`, {
      method: incoming.method ?? 'GET',
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
      signal: gone.signal,
    }),
  )
  response.writeHead(status, Object.fromEntries(headers))
  response.flushHeaders()
  if (body) for await (const chunk of body) response.write(chunk)
  response.end()
}
