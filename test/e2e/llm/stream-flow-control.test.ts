import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

/** More than the socket buffers on the way hold. */
const MUCH_BYTES = 200 * 1024 * 1024

const chunkOf = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

/** A provider that sends one chunk, or endless chunks, and records what became of its stream. */
class Talker {
  readonly server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunkOf('first'))
    this.closed = once(response, 'close')
    if (this.endless) this.#talk(response)
  })
  endless = false
  sentBytes = 0
  closed: Promise<unknown> = Promise.resolve()
  /** Resolves when the other side has stopped reading. */
  full: Promise<void> = Promise.resolve()

  #talk(response: ServerResponse): void {
    const chunk = chunkOf('x'.repeat(64 * 1024))
    this.sentBytes = 0
    this.full = new Promise((resolve) => {
      const more = () => {
        let goesOn = true
        while (goesOn && this.sentBytes < MUCH_BYTES) {
          goesOn = response.write(chunk)
          this.sentBytes += chunk.length
        }
        if (this.sentBytes >= MUCH_BYTES) {
          resolve()
          return
        }
        // No drain for so long means that reading has stopped.
        const stopped = setTimeout(resolve, 1_000)
        response.once('drain', () => {
          clearTimeout(stopped)
          more()
        })
      }
      more()
    })
  }
}

const forms = [
  {
    name: 'as it comes',
    path: '/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  },
  {
    name: 'translated',
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  },
]

describe('a stream through the gateway', () => {
  const talker = new Talker()
  let daemon: Daemon

  before(async () => {
    talker.server.listen(0, '127.0.0.1')
    await once(talker.server, 'listening')
    const { port } = talker.server.address() as AddressInfo
    daemon = await startDaemon(`${anyPorts}gateways:
  default: { port: 0 }
llm:
  gateways: [default]
  models:
    - { name: m, provider: openai, params: { baseUrl: 'http://127.0.0.1:${String(port)}/v1' } }
`)
  })

  after(async () => {
    await daemon[Symbol.asyncDispose]()
    talker.server.closeAllConnections()
    talker.server.close()
  })

  const ask = (path: string, request: string) => {
    const { hostname, port } = new URL(daemon.url('default'))
    const socket = connect(Number(port), hostname)
    const head = [
      'host: gateway',
      'content-type: application/json',
      `content-length: ${String(request.length)}`,
    ]
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${request}`)
    return socket
  }

  for (const { name, path, body } of forms) {
    const request = JSON.stringify({ ...body, stream: true })

    it(`${name}: closes at its provider when its client leaves`, async () => {
      talker.endless = false
      const socket = ask(path, request)
      await once(socket, 'readable')
      socket.resetAndDestroy()
      await talker.closed
    })

    it(`${name}: pauses at its provider while its client does not read`, async () => {
      talker.endless = true
      const socket = ask(path, request)
      await once(socket, 'readable')
      await talker.full
      assert.ok(talker.sentBytes < MUCH_BYTES / 4, `${String(talker.sentBytes)} bytes were taken`)
      socket.resetAndDestroy()
      await talker.closed
    })
  }
})
