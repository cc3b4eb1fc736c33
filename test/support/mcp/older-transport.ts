import type { ServerResponse } from 'node:http'
import { respondEvents, type Script } from './scripted-server.ts'
import { content } from './toy-server.ts'

/** An HTTP+SSE server with the tool `add`, which only knows the streams that it has opened itself. */
export const olderTransport = (): Script => {
  const streams: ServerResponse[] = []
  return (request, response) => {
    const { method, url, body } = request
    if (method === 'GET' && url === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: endpoint\ndata: /messages?${streams.push(response) - 1}\n\n`)
      return
    }
    const stream = method === 'POST' ? streams[Number(url.split('?')[1])] : undefined
    response.writeHead(stream ? 202 : 404).end()
    if (!stream || body.id === undefined) return
    const result = results[body.method ?? ''] ?? content('add done')
    respondEvents(stream, { jsonrpc: '2.0', id: body.id, result })
  }
}

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2024-11-05',
    capabilities: { tools: {} },
    serverInfo: { name: 'older', version: '1' },
  },
  'tools/list': { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
}
