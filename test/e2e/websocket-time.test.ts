import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { anyPorts, startDaemon } from '../support/daemon.ts'

test('the time of a request, with WebSockets', async (t) => {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => undefined)
    if (req.url !== '/accepted') return // never answered
    sockets.handleUpgrade(req, socket, head, (client) => {
      client.on('message', (data) => client.send(data, { binary: false }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies: { timeout: { requestTimeout: 150ms, backendRequestTimeout: 150ms } }
    backends: [{ host: "127.0.0.1:${(server.address() as AddressInfo).port}" }]
`)
  const open = (path: string) => new WebSocket(`${daemon.url('default').replace('http', 'ws')}${path}`)

  await t.test('does not end one that was accepted in time', async () => {
    const client = open('/accepted')
    let closed = false
    client.on('close', () => (closed = true))
    await once(client, 'open')
    const began = performance.now()
    let said = 0
    // Twice as long as a request may take.
    while (performance.now() - began < 300) {
      client.send(String(said))
      const [answer] = (await once(client, 'message')) as [Buffer]
      assert.equal(String(answer), String(said))
      said++
    }
    assert.equal(closed, false)
    client.close()
    await once(client, 'close')
  })

  await t.test('ends one that nobody accepts, with 504', async () => {
    const client = open('/ignored')
    const [error] = (await once(client, 'error')) as [Error]
    assert.match(error.message, /504/)
  })
  server.closeAllConnections()
  server.close()
})
