import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { listening } from '../../test/support/upstream-servers.ts'

test('examples/websockets', async (t) => {
  const http = createServer((_, res) => res.writeHead(426).end('websockets only'))
  const chat = new WebSocketServer({ server: http, handleProtocols: () => 'chat.v2' })
  chat.on('connection', (socket, request) => {
    socket.send(`welcome to ${request.url ?? ''}`)
    socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
  })
  await using upstream = await listening(http)
  await using daemon = await startExample('websockets', { CHAT: `127.0.0.1:${upstream.port}` })
  const url = daemon.url('default')
  const next = async (socket: WebSocket): Promise<[Buffer, boolean]> =>
    (await once(socket, 'message')) as [Buffer, boolean]

  await t.test('forwards text and binary messages of any size in both directions', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/chat/room?id=1`, ['chat.v1', 'chat.v2'])
    assert.equal(String((await next(socket))[0]), 'welcome to /room?id=1')
    assert.equal(socket.protocol, 'chat.v2')
    socket.send('hello')
    assert.deepEqual(await next(socket), [Buffer.from('hello'), false])
    const bytes = Buffer.alloc(300_000, 7)
    socket.send(bytes)
    const [echo, isBinary] = await next(socket)
    assert.ok(isBinary && echo.equals(bytes))
    socket.close(1000, 'bye')
    const [code] = (await once(socket, 'close')) as [number]
    assert.equal(code, 1000)
  })

  await t.test('closes one side when the other one is gone', async () => {
    const accepted = once(chat, 'connection') as Promise<[WebSocket]>
    const socket = new WebSocket(`${url.replace('http', 'ws')}/chat`)
    const [other] = await accepted
    await next(socket)
    socket.terminate()
    await once(other, 'close')
  })

  await t.test('forwards the refusal of a service', async () => {
    assert.equal((await sendRequest(url, '/chat')).status, 426)
  })

  await t.test('routes an upgrade like any request', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/elsewhere`)
    const [error] = (await once(socket, 'error')) as [Error]
    assert.match(error.message, /404/)
  })

  await t.test('refuses other protocols: h2c would bypass the rules', async () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const head = ['GET /chat HTTP/1.1', 'host: a', 'connection: upgrade, http2-settings', 'upgrade: h2c']
    socket.write(`${[...head, 'http2-settings: AAMAAABkAAQCAAAAAAIAAAAA'].join('\r\n')}\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(String(answer), /^HTTP\/1\.1 426 /)
    socket.destroy()
  })
})
