/** A small A2A agent of version 0.3 that echoes messages, whole or as a stream. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Call {
  readonly id: string | number
  readonly method: string
  readonly params: { readonly message: { readonly parts: readonly { readonly text?: string }[] } }
}

const server = createServer((req, res) => {
  if (req.method === 'GET' && req.url === '/.well-known/agent-card.json') {
    res.setHeader('content-type', 'application/json').end(JSON.stringify(card()))
    return
  }
  json(req).then(
    (call) => {
      answer(call as Call, res)
    },
    () => {
      res.writeHead(400).end()
    },
  )
})

const card = () => ({
  protocolVersion: '0.3.0',
  name: 'Echo',
  description: 'Repeats what it is told.',
  version: '1.0.0',
  // The agent's own address, which only the gateway can reach.
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  preferredTransport: 'JSONRPC',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats what it is told.', tags: [] }],
})

const answer = ({ id, method, params }: Call, res: ServerResponse): void => {
  const context = { contextId: 'context-1', taskId: 'task-1' }
  const text = (): string => params.message.parts.map((part) => part.text ?? '').join('')
  const said = (outcome: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...outcome })
  const event = (result: object): void => {
    res.write(`data: ${said({ result })}\n\n`)
  }
  switch (method) {
    case 'message/send':
      res.setHeader('content-type', 'application/json').end(
        said({
          result: {
            kind: 'task',
            id: context.taskId,
            contextId: context.contextId,
            status: { state: 'completed' },
            artifacts: [{ artifactId: 'echo', parts: [{ kind: 'text', text: text() }] }],
          },
        }),
      )
      return
    case 'message/stream':
      res.setHeader('content-type', 'text/event-stream')
      event({ kind: 'task', id: context.taskId, contextId: context.contextId, status: { state: 'working' } })
      for (const word of text().split(' ')) {
        const artifact = { artifactId: 'echo', parts: [{ kind: 'text', text: word }] }
        event({ ...context, kind: 'artifact-update', artifact, append: true })
      }
      event({ ...context, kind: 'status-update', status: { state: 'completed' }, final: true })
      res.end()
      return
    default:
      res
        .setHeader('content-type', 'application/json')
        .end(said({ error: { code: -32601, message: 'Method not found' } }))
  }
}

server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log(`lives on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
