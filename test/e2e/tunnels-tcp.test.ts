import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { patterned, wrongByte } from '../support/patterned-body.ts'
import { until } from '../support/stream-body.ts'
import { listening, type UpstreamServer } from '../support/upstream-servers.ts'

const SIZE_BYTES = 8 * 1024 * 1024
const PIECE_BYTES = 64 * 1024

/** Sends a patterned body as fast as it is accepted, and ends. */
const send = async (socket: Socket, id: number): Promise<void> => {
  for (let at = 0; at < SIZE_BYTES; at += PIECE_BYTES)
    if (!socket.write(patterned(id, at, PIECE_BYTES))) await once(socket, 'drain')
  socket.end()
}

/** Reads to the end; rejects for an unexpected byte. */
const receive = async (socket: Socket, id: number): Promise<number> => {
  let at = 0
  socket.on('data', (chunk: Buffer) => {
    const strange = wrongByte(id, at, chunk)
    if (strange !== undefined) socket.destroy(new Error(`byte ${strange} of ${id} is not its own`))
    at += chunk.length
  })
  await once(socket, 'end')
  return at
}

/** Serves raw connections; `accept` handles a half-closed one. */
const halves = (accept: (socket: Socket) => void): Promise<UpstreamServer> =>
  listening(createServer({ allowHalfOpen: true }, accept))

suite('TCP backends behind an HTTP proxy', () => {
  const authority = makeAuthority()
  const stack = new AsyncDisposableStack()
  const asked: string[] = []
  let plainProxy: UpstreamServer
  let secureProxy: UpstreamServer
  let daemon: Daemon
  const backends: UpstreamServer[] = []

  /** Connects the halves of connections, and forwards the end of each by itself. */
  const proxied = (client: Socket): void => {
    client.on('error', () => undefined)
    client.once('data', (chunk) => {
      client.pause()
      const [line = ''] = chunk.toString().split('\r\n')
      asked.push(line)
      const port = Number(/:(\d+) HTTP/.exec(line)?.[1])
      const upstream = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      upstream.on('error', () => client.destroy())
      client.on('close', () => upstream.destroy())
      upstream.on('connect', () => {
        client.write('HTTP/1.1 200 Yes\r\n\r\n')
        upstream.pipe(client).pipe(upstream)
      })
    })
  }

  const collects = (socket: Socket): void => {
    // Responds after the whole body only: the end of one direction must not end the other.
    const hash = createHash('sha256')
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => hash.update(chunk))
    socket.on('end', () => {
      socket.write(hash.digest('hex'))
      send(socket, 2).catch(() => socket.destroy())
    })
  }
  const crosses = (socket: Socket): void => {
    socket.on('error', () => undefined)
    send(socket, 2).catch(() => socket.destroy())
    receive(socket, 1).catch(() => socket.destroy())
  }

  before(async () => {
    const own = authority.issue('up.example')
    const { cert, key } = authority.issue('proxy.example')
    const inTls = (accept: (socket: Socket) => void): Server =>
      createTlsServer({ cert: own.cert, key: own.key, allowHalfOpen: true }, accept)
    plainProxy = stack.use(await halves(proxied))
    secureProxy = stack.use(await listening(createTlsServer({ cert, key, allowHalfOpen: true }, proxied)))
    const ways: string[] = []
    const gateways: string[] = []
    for (const [kind, accept] of [
      ['collects', collects],
      ['crosses', crosses],
    ] as const) {
      const plain = stack.use(await halves(accept))
      const tls = stack.use(await listening(inTls(accept)))
      backends.push(plain, tls)
      for (const [way, port, policies] of [
        ['plain', plain.port, ''],
        ['tls', tls.port, `backendTLS: { root: ${authority.certFile} }, `],
      ] as const)
        for (const [by, proxy, more] of [
          ['plain', plainProxy, ''],
          [
            'secure',
            secureProxy,
            `, policies: { backendTLS: { root: ${authority.certFile}, hostname: proxy.example } }`,
          ],
        ] as const) {
          const name = `${kind}-${way}-${by}`
          gateways.push(`  ${name}: { port: 0, address: 127.0.0.1, protocol: TCP }`)
          ways.push(
            `  - { gateways: ${name}, backends: [{ host: "up.example:${port}", policies: { ${policies}backendTunnel: { proxy: { host: "127.0.0.1:${proxy.port}" }${more} } } }] }`,
          )
        }
    }
    daemon = stack.use(
      await startDaemon(`${anyPorts}
gateways:
${gateways.join('\n')}
tcpRoutes:
${ways.join('\n')}
`),
    )
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })

  const connectTo = async (name: string): Promise<Socket> => {
    const port = Number(new RegExp(`\\b${name} listens on \\S+:(\\d+)`).exec(daemon.output())?.[1])
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return socket
  }

  for (const way of ['plain', 'tls'])
    for (const by of ['plain', 'secure']) {
      const told = `${way === 'tls' ? 'in TLS ' : ''}by a proxy ${by === 'secure' ? 'spoken to in TLS' : 'in the clear'}`

      test(`receive everything before they respond, ${told}`, async () => {
        const socket = await connectTo(`collects-${way}-${by}`)
        const hash = createHash('sha256')
        for (let at = 0; at < SIZE_BYTES; at += PIECE_BYTES) hash.update(patterned(1, at, PIECE_BYTES))
        const digest = hash.digest('hex')
        let head = ''
        let at = 0
        let strange: number | undefined
        socket.on('data', (chunk: Buffer) => {
          const missing = digest.length - head.length
          head += chunk.toString('latin1', 0, missing)
          strange ??= wrongByte(2, at, chunk.subarray(missing))
          at += Math.max(0, chunk.length - missing)
        })
        const ended = once(socket, 'end')
        await send(socket, 1)
        await ended
        assert.deepEqual([head, at, strange], [digest, SIZE_BYTES, undefined])
        socket.destroy()
      })

      test(`send while they receive, ${told}`, async () => {
        const socket = await connectTo(`crosses-${way}-${by}`)
        const [, received] = await Promise.all([send(socket, 1), receive(socket, 2)])
        assert.equal(received, SIZE_BYTES)
        socket.destroy()
      })
    }

  test('are requested by name, and leave no connection open', async () => {
    assert.equal(asked.length, 8)
    for (const line of asked) assert.match(line, /^CONNECT up\.example:\d+ HTTP\/1\.1$/)
    await until(() => [plainProxy, secureProxy, ...backends].every(({ sockets }) => sockets.size === 0))
  })
})
