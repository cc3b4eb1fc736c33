import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import type { ConnectionEvents } from '../../../src/streams/http/port/port-hooks.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { startGateway } from '../../support/gateway.ts'
import { RawClient } from '../../support/raw-client.ts'
import { tcpBind, to } from '../../support/tcp-bind.ts'

const authority = makeAuthority()
const certificate = authority.issue('a.example')
after(() => authority[Symbol.dispose]())

const listening = async (handle: (socket: Socket) => void): Promise<{ port: number } & AsyncDisposable> => {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => undefined))
    handle(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

suite('a raw TCP route', () => {
  test('passes bytes in both directions, and the end of each side separately', async () => {
    await using upstream = await listening((socket) => {
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('end', () => socket.end(`heard ${text}`))
    })
    await using gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    using client = await RawClient.to(gateway.port())
    client.send('hello')
    client.socket.end()
    assert.equal(await client.end(), 'heard hello')
  })

  test('lets the server send first', async () => {
    await using upstream = await listening((socket) => socket.end('220 ready'))
    await using gateway = await startGateway([tcpBind(to({ host: 'localhost', port: upstream.port }))])
    using client = await RawClient.to(gateway.port())
    assert.equal(await client.end(), '220 ready')
  })

  test('pauses a sender for a receiver that does not read', async () => {
    let sentBytes = 0
    await using upstream = await listening((socket) => {
      const more = () => {
        while (sentBytes < 200_000_000) {
          sentBytes += 65_536
          if (!socket.write(Buffer.alloc(65_536))) return
        }
      }
      socket.on('drain', more)
      more()
    })
    await using gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    const socket = gateway.connect()
    await once(socket, 'readable')
    for (let last = -1; last !== sentBytes;) {
      last = sentBytes
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.ok(sentBytes < 50_000_000, `${sentBytes} bytes`)
    socket.destroy()
  })

  test('closes one side when the other fails', async () => {
    let other: Socket | undefined
    await using upstream = await listening((socket) => {
      other = socket
      socket.write('hello')
    })
    await using gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))])
    using first = await RawClient.to(gateway.port())
    await first.until('hello')
    const closed = new Promise((resolve) => other!.resume().on('close', resolve))
    first.socket.resetAndDestroy()
    await closed
    using second = await RawClient.to(gateway.port())
    await second.until('hello')
    other!.resetAndDestroy()
    await second.end()
  })

  test('closes a connection without a route, with an unreachable target, or idle for too long', async () => {
    await using silent = await listening(() => undefined)
    await using gateway = await startGateway([
      { ...tcpBind(() => undefined), key: 'none' },
      { ...tcpBind(to({ host: '127.0.0.1', port: 1 })), key: 'refused' },
      { ...tcpBind(to({ host: 'name.invalid', port: 1 })), key: 'unknown' },
      {
        ...tcpBind(to({ host: '127.0.0.1', port: silent.port })),
        key: 'idle',
        frontend: { http: { idleTimeoutMs: 30 } },
      },
    ])
    for (const key of ['none', 'refused', 'unknown', 'idle']) {
      using client = await RawClient.to(gateway.port(key))
      client.send('hello')
      assert.equal(await client.end(), '')
    }
  })

  test('may forward to an upstream with TLS', async () => {
    const server = createTlsServer(certificate, (socket) => socket.end('secret')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const tls = {
      rootFile: authority.certFile,
      hostname: 'a.example',
      insecure: false,
      insecureHost: false,
      subjectAltNames: [],
    }
    await using gateway = await startGateway([
      tcpBind(to({ host: '127.0.0.1', port }, tls)),
      { ...tcpBind(to({ host: '127.0.0.1', port }, { ...tls, hostname: 'b.example' })), key: 'other' },
    ])
    using client = await RawClient.to(gateway.port('tcp'))
    assert.equal(await client.end(), 'secret')
    using other = await RawClient.to(gateway.port('other'))
    assert.equal(await other.end(), '')
    server.close()
  })

  test('is reported with its bytes', async () => {
    const seen: unknown[] = []
    const events: ConnectionEvents = {
      opened: ({ protocol, listener }) => seen.push([protocol, listener]),
      closed: (_, received, sent) => seen.push([received, sent]),
      tlsHandshake: () => undefined,
      refused: () => undefined,
    }
    await using upstream = await listening((socket) => socket.pipe(socket))
    const gateway = await startGateway([tcpBind(to({ host: '127.0.0.1', port: upstream.port }))], events)
    using client = await RawClient.to(gateway.port())
    client.send('12345')
    client.socket.end()
    await client.end()
    await gateway.ports.drain(1_000)
    assert.deepEqual(seen, [
      ['tcp', 'listener0'],
      [5, 5],
    ])
  })
})

suite('a raw route over TLS', () => {
  const options = { servername: 'a.example', ca: authority.cert, host: '127.0.0.1' }
  const textAt = async (port: number, servername = 'a.example'): Promise<string> => {
    const socket = connectTls({ ...options, port, servername })
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => undefined)
    socket.on('secureConnect', () => socket.end('x'))
    await new Promise((resolve) => socket.on('close', resolve))
    return text
  }

  test('passes a handshake through to the upstream for its server name', async () => {
    const server = createTlsServer(certificate, (socket) => socket.end('from upstream')).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const target = to({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
    const asked: (string | undefined)[] = []
    await using gateway = await startGateway([
      {
        protocol: 'tls',
        listeners: [
          {
            protocol: 'TLS',
            hostname: 'a.example',
            tcpTarget: (name) => {
              asked.push(name)
              return target()
            },
          },
        ],
      },
    ])
    assert.equal(await textAt(gateway.port()), 'from upstream')
    assert.equal(await textAt(gateway.port(), 'b.example'), '')
    assert.deepEqual(asked, ['a.example'])
    server.close()
  })

  test('or terminates it, and passes the bytes on', async () => {
    await using upstream = await listening((socket) => {
      socket.on('data', (chunk) => socket.end(`heard ${chunk.toString()}`))
    })
    await using gateway = await startGateway([
      {
        protocol: 'tls',
        listeners: [
          {
            protocol: 'TLS',
            hostname: 'a.example',
            tls: { certFile: certificate.certFile, keyFile: certificate.keyFile },
            tcpTarget: to({ host: '127.0.0.1', port: upstream.port }),
          },
        ],
      },
    ])
    assert.equal(await textAt(gateway.port()), 'heard x')
  })
})
