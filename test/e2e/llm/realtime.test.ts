import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type WebSocket as ServerSocket, WebSocket, WebSocketServer } from 'ws'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

const done = (input: number, output: number) =>
  JSON.stringify({
    type: 'response.done',
    response: { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } },
  })

describe('a realtime session', () => {
  const http = createServer()
  const asked: { readonly url: string | undefined; readonly authorization: string | undefined }[] = []
  const server = new WebSocketServer({ server: http })
  let daemon: Daemon

  before(async () => {
    server.on('connection', (socket: ServerSocket, request) => {
      asked.push({ url: request.url, authorization: request.headers.authorization })
      socket.on('message', (data: Buffer) => {
        socket.send(JSON.stringify({ type: 'session.updated', echo: data.toString() }))
        socket.send(Buffer.alloc(70_000, 1))
        socket.send(done(11, 7))
      })
    })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const { port } = http.address() as AddressInfo
    daemon = await startDaemon(`${anyPorts}  logging: { format: json }
gateways:
  default: { port: 0 }
llm:
  gateways: [default]
  models:
    - name: spoken
      provider: openai
      params: { model: gpt-realtime, apiKey: sk-of-the-provider, baseUrl: 'http://127.0.0.1:${String(port)}/v1' }
`)
  })

  after(async () => {
    await daemon[Symbol.asyncDispose]()
    server.close()
    http.close()
  })

  it("forwards both directions with the provider's key and model name, and logs its usage", async () => {
    const url = daemon.url('default').replace('http', 'ws')
    const socket = new WebSocket(`${url}/v1/realtime?model=spoken`, {
      headers: { authorization: 'Bearer sk-of-the-client' },
    })
    const said: string[] = []
    const both = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer, isBinary) => {
        if (!isBinary) said.push(data.toString())
        if (said.length === 4) resolve()
      })
    })
    await once(socket, 'open')
    socket.send('hello')
    socket.send('again')
    await both
    socket.close()
    await once(socket, 'close')
    assert.deepEqual(asked, [
      { url: '/v1/realtime?model=gpt-realtime', authorization: 'Bearer sk-of-the-provider' },
    ])
    assert.match(said[0] ?? '', /"echo":"hello"/)
    const [line] = await daemon.printed(/\{[^\n]*"gen_ai.usage.input_tokens"[^\n]*\}/)
    const logged = JSON.parse(line) as Record<string, unknown>
    assert.equal(logged['gen_ai.usage.input_tokens'], 22)
    assert.equal(logged['gen_ai.usage.output_tokens'], 14)
    assert.equal(logged['gen_ai.request.model'], 'gpt-realtime')
  })
})
