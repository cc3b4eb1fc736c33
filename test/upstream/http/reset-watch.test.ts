import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createSecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { ResetWatch } from '../../../src/upstream/http/reset-watch.ts'
import { makeAuthority } from '../../support/certificates.ts'

test('an HTTP/2 connection over TLS that is reset with pending bytes is closed, and a slow one is not', async () => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('localhost')
  const server = createSecureServer({ cert, key, settings: { initialWindowSize: 2 ** 31 - 1 } })
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.on('session', (session) => session.on('error', () => undefined).setLocalWindowSize(2 ** 31 - 1))
  // The received bytes are in an unlimited window; the socket fills up.
  server.on('stream', (stream) => stream.on('error', () => undefined).pause())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const watch = new ResetWatch()
  for (let i = 0; i < 4; i++) {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })
    const session = connect('https://localhost', { createConnection: () => socket })
    session.on('error', () => undefined)
    await once(session, 'remoteSettings')
    let isClosed = false
    watch.add(socket, () => !isClosed)
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    const closed = new Promise<void>((resolve) => {
      stream.on('error', () => undefined)
      stream.on('close', () => {
        isClosed = true
        resolve()
      })
    })
    const chunk = Buffer.alloc(1 << 20)
    const write = () => {
      while (!isClosed && stream.write(chunk));
      if (!isClosed) stream.once('drain', write)
    }
    write()
    const peer = sockets.at(-1) as Socket & { _handle: { readStop(): void } }
    peer._handle.readStop()
    // No more progress: two or more checks find a live peer.
    for (let before = -1; before !== socket.bytesWritten;) {
      before = socket.bytesWritten
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    assert.equal(isClosed, false)
    peer.resetAndDestroy()
    await closed
    session.destroy()
  }
  server.close()
  await once(server, 'close')
})
