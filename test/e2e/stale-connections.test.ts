import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** What an upstream has read on one of its connections. */
interface Read {
  readonly connection: number
  /** The number of requests served on the connection before. */
  readonly answered: number
  readonly body: string
}

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

suite('a pooled connection that the upstream closes just as it is used', () => {
  let upstream: UpstreamServer
  let daemon: Daemon
  let reads: Read[] = []
  /** Handles a request on a reused connection. */
  let reused: (socket: Socket) => void
  /** Handles the first request on a connection. */
  let first: (socket: Socket) => void

  before(async () => {
    let connections = 0
    upstream = await rawServer((socket) => {
      const connection = ++connections
      let answered = 0
      let received = ''
      socket.on('data', (chunk) => {
        received += String(chunk)
        const [head = '', ...rest] = received.split('\r\n\r\n')
        const body = rest.join('\r\n\r\n')
        if (rest.length === 0 || !isWhole(head, body)) return
        received = ''
        reads.push({
          connection,
          answered,
          body: isChunked(head) ? joined(body) : body,
        })
        if (answered === 0) first(socket)
        else reused(socket)
        answered++
      })
    })
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ backends: [{ host: "127.0.0.1:${upstream.port}" }] }]
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const get = (asked: RequestParts = {}) => sendRequest(daemon.url('default'), '/', asked)

  beforeEach(async () => {
    first = (socket) => socket.write(ANSWER)
    reused = (socket) => socket.destroy()
    // Afterwards there is one idle connection, which has served a request.
    const began = upstream.opened()
    for (const socket of upstream.sockets) socket.destroy()
    do await get()
    while (upstream.opened() === began)
    reads = []
  })

  const requests: Readonly<Record<string, RequestParts>> = {
    'a GET': {},
    'a PUT, with its body': { method: 'PUT', body: 'the body' },
    'a POST, as nothing of it was processed': { method: 'POST', body: 'the body' },
  }
  for (const [what, asked] of Object.entries(requests))
    test(`is replaced transparently for ${what}`, async () => {
      const answer = await get(asked)
      assert.deepEqual([answer.status, answer.text], [200, 'ok'])
      assert.deepEqual(
        reads.map(({ answered, body }) => [answered, body]),
        [
          [1, asked.body ?? ''],
          [0, asked.body ?? ''],
        ],
      )
      assert.notEqual(reads[0]?.connection, reads[1]?.connection)
    })

  test('is replaced transparently for a streamed body', async () => {
    const { hostname, port } = new URL(daemon.url('default'))
    const req = request({ hostname, port, method: 'PUT', agent: false })
    req.write('the ')
    req.end('body')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    assert.deepEqual([res.statusCode, await text(res)], [200, 'ok'])
    assert.deepEqual(
      reads.map(({ body }) => body),
      ['the body', 'the body'],
    )
  })

  test('is an error once a part of the response has arrived', async () => {
    reused = (socket) => socket.end('HTTP/1.1 20')
    const { status } = await get()
    assert.ok(status >= 500, String(status))
    assert.equal(reads.length, 1)
  })

  test('is an error if the connection is new, and so not stale', async () => {
    for (const socket of upstream.sockets) socket.destroy()
    first = (socket) => socket.destroy()
    const { status } = await get({ method: 'POST', body: 'x' })
    assert.equal(status, 503)
    const onNew = reads.filter(({ answered }) => answered === 0)
    assert.equal(onNew.length, 1)
  })
})

/** Whether a message is complete. */
const isWhole = (head: string, body: string): boolean => {
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  if (length !== undefined) return body.length >= Number(length)
  return !isChunked(head) || body.endsWith('0\r\n\r\n')
}

const isChunked = (head: string): boolean => /^transfer-encoding: chunked$/im.test(head)

/** The content of a chunked body. */
const joined = (body: string): string =>
  body
    .split('\r\n')
    .filter((_, i) => i % 2 === 1)
    .join('')
