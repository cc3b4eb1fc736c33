import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { until } from '../support/stream-body.ts'

test('the request timeout', async (t) => {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => undefined)
    if (req.url !== '/accepted') return // never accepted
    sockets.handleUpgrade(req, socket, head, (client) => {
      client.on('message', (data) => client.send(data, { binary: false }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies: { timeout: { requestTimeout: 3s, backendRequestTimeout: 3s } }
    backends: [{ host: "127.0.0.1:${(server.address() as AddressInfo).port}" }]
`)
  const open = (path: string) => new WebSocket(`${daemon.url('default').replace('http', 'ws')}${path}`)

  await t.test('does not end a WebSocket that was accepted in time', async () => {
    const client = open('/accepted')
    let closed = false
    client.on('close', () => (closed = true))
    await once(client, 'open')
    const began = performance.now()
    let said = 0
    // Twice as long as a request may take.
    while (performance.now() - began < 6_000) {
      client.send(String(said))
      const [answer] = (await once(client, 'message')) as [Buffer]
      assert.equal(String(answer), String(said))
      said++
      await pause(20)
    }
    assert.equal(closed, false)
    client.close()
    await once(client, 'close')
  })

  await t.test('ends an upgrade that is not accepted, with 504', async () => {
    const client = open('/ignored')
    const [error] = (await once(client, 'error')) as [Error]
    assert.match(error.message, /504/)
  })
  server.closeAllConnections()
  server.close()
})

test('maxConnectionDuration', async (t) => {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  let accept: (() => void) | undefined
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => undefined)
    const begin = () =>
      sockets.handleUpgrade(req, socket, head, (client) => {
        client.on('message', (data) => client.send(data, { binary: false }))
      })
    if (req.url === '/late') accept = begin
    else begin()
  })
  server.on('request', (_, res) => {
    res.write('beginning ')
    setTimeout(() => res.end('end'), 3_200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { http: { maxConnectionDuration: 3s } }
routes:
  - { name: all, backends: [{ host: "127.0.0.1:${(server.address() as AddressInfo).port}" }] }
`)
  const open = (path: string) => new WebSocket(`${daemon.url('default').replace('http', 'ws')}${path}`)

  await t.test('ends WebSockets on both sides, with a log line', async () => {
    const client = open('/')
    client.on('error', () => undefined)
    await once(client, 'open')
    client.send('hello')
    assert.equal(String(((await once(client, 'message')) as [Buffer])[0]), 'hello')
    await once(client, 'close')
    await daemon.printed(/route=default\/all .*error="open for too long"/)
    await until(() => sockets.clients.size === 0, 'the end upstream')
  })

  await t.test('ends WebSockets that are accepted after it', async () => {
    const client = open('/late')
    client.on('error', () => undefined)
    const closed = once(client, 'close')
    await until(() => accept !== undefined, 'the upgrade')
    setTimeout(() => accept?.(), 3_100)
    await closed
    await until(() => sockets.clients.size === 0, 'the end upstream')
  })

  await t.test('ends WebSockets over HTTP/2', async () => {
    const session = connect(daemon.url('default'))
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    const stream = session.request({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':path': '/',
      ':scheme': 'http',
      ':authority': 'a',
      'sec-websocket-version': '13',
    })
    stream.on('error', () => undefined)
    const [head] = (await once(stream, 'response')) as [{ ':status'?: number }]
    assert.equal(head[':status'], 200)
    stream.resume()
    await once(session, 'close')
    await until(() => sockets.clients.size === 0, 'the end upstream')
  })

  await t.test('lets replies finish', async () => {
    const answer = await fetch(daemon.url('default'))
    assert.equal(await answer.text(), 'beginning end')
  })
  server.closeAllConnections()
  server.close()
})
