import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
} from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type GrpcHandler, type GrpcServer, grpcServer } from '../support/grpc-server.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

type Talk = ServerDuplexStream<Buffer, Buffer>

const asIs = (bytes: Buffer): Buffer => bytes

const method = (path: string, type: 'bidi' | 'unary', handle: unknown): GrpcHandler => ({
  path,
  definition: [path, handle, asIs, asIs, type] as Parameters<Server['register']>,
})

/** Echoes messages, and sends their number in the trailers. */
const talk = (call: Talk): void => {
  let count = 0
  const begun = new Metadata()
  begun.set('x-begun', 'yes')
  call.sendMetadata(begun)
  call.on('data', (message: Buffer) => {
    count++
    if (!call.write(message)) {
      call.pause()
      call.once('drain', () => call.resume())
    }
  })
  call.on('end', () => {
    const last = new Metadata()
    last.set('x-count', String(count))
    call.end(last)
  })
}

/** Fails after one message. */
const fail = (call: Talk): void => {
  call.write(Buffer.from('one'))
  const last = new Metadata()
  last.set('x-why', 'tested')
  call.emit('error', { code: status.FAILED_PRECONDITION, details: 'not today', metadata: last })
}

suite('gRPC services behind an HTTP proxy', () => {
  const authority = makeAuthority()
  const stack = new AsyncDisposableStack()
  let proxy: HttpProxy
  let secure: HttpProxy
  let hasty: UpstreamServer
  let plain: GrpcServer
  let tls: GrpcServer
  let daemon: Daemon

  before(async () => {
    const certificate = authority.issue('up.example')
    const handlers = [method('/t.T/Talk', 'bidi', talk), method('/t.T/Fail', 'bidi', fail)]
    plain = stack.use(await grpcServer(handlers))
    tls = stack.use(
      await grpcServer(
        handlers,
        ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(certificate.cert), private_key: Buffer.from(certificate.key) },
        ]),
      ),
    )
    proxy = stack.use(await startProxy())
    secure = stack.use(await startProxy(authority.issue('proxy.example')))
    // Sends its 200 together with the first bytes of the server behind it: HTTP/2 servers send first.
    hasty = stack.use(
      await rawServer((client) => {
        client.once('data', (chunk) => {
          client.pause()
          const port = Number(/^CONNECT \S+:(\d+) /.exec(chunk.toString())?.[1])
          const upstream = connect({ host: '127.0.0.1', port })
          upstream.on('error', () => client.destroy())
          upstream.once('data', (first: Buffer) => {
            client.write(Buffer.concat([Buffer.from('HTTP/1.1 200 Yes\r\n\r\n'), first]))
            upstream.pipe(client).pipe(upstream)
          })
          client.on('close', () => upstream.destroy())
        })
      }),
    )
    const by = (port: number, more = '') => `backendTunnel: { proxy: { host: "127.0.0.1:${port}" }${more} }`
    const trust = `backendTLS: { root: ${authority.certFile} }`
    const toSecure = by(
      secure.port,
      `, policies: { backendTLS: { root: ${authority.certFile}, hostname: proxy.example } }`,
    )
    const route = (name: string, port: number, policies: string) => `
  - name: ${name}
    matches: [{ path: { pathPrefix: / }, headers: [{ name: x-way, value: { exact: ${name} } }] }]
    backends: [{ host: "up.example:${port}", policies: { ${policies} } }]`
    daemon = stack.use(
      await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${route('h2c', plain.port, by(proxy.port))}
${route('h2c-hasty', plain.port, by(hasty.port))}
${route('h2c-secure', plain.port, toSecure)}
${route('tls', tls.port, `${trust}, ${by(proxy.port)}`)}
${route('tls-secure', tls.port, `${trust}, ${toSecure}`)}
`),
    )
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })

  const call = (name: string, way: string): Disposable & { stream: ClientDuplexStream<Buffer, Buffer> } => {
    const client = new Client(new URL(daemon.url('default')).host, credentials.createInsecure())
    const metadata = new Metadata()
    metadata.set('x-way', way)
    const stream = client.makeBidiStreamRequest(`/t.T/${name}`, asIs, asIs, metadata)
    return { stream, [Symbol.dispose]: () => client.close() }
  }

  for (const way of ['h2c', 'h2c-hasty', 'h2c-secure', 'tls', 'tls-secure'])
    test(`exchange messages in both directions: ${way}`, async () => {
      using conversation = call('Talk', way)
      const { stream } = conversation
      const begun = new Promise<Metadata>((resolve) => stream.once('metadata', resolve))
      const ended = new Promise<{ code: number; metadata: Metadata }>((resolve) =>
        stream.once('status', resolve),
      )
      const answers = stream[Symbol.asyncIterator]()
      // Each side waits for the other: nothing may be buffered until the end.
      for (const message of ['a', 'b'.repeat(300_000), 'c']) {
        stream.write(Buffer.from(message))
        const { value } = (await answers.next()) as { value: Buffer }
        assert.equal(value.toString(), message)
      }
      assert.deepEqual((await begun).get('x-begun'), ['yes'])
      stream.end()
      assert.equal((await answers.next()).done, true)
      const { code, metadata } = await ended
      assert.equal(code, status.OK)
      assert.deepEqual(metadata.get('x-count'), ['3'])
      const by = way.endsWith('secure') ? secure : way === 'h2c-hasty' ? undefined : proxy
      if (by)
        assert.equal(by.lines.at(-1), `CONNECT up.example:${way.startsWith('tls') ? tls.port : plain.port}`)
    })

  for (const way of ['h2c', 'tls-secure'])
    test(`report their own errors: ${way}`, async () => {
      using conversation = call('Fail', way)
      const { stream } = conversation
      const messages: string[] = []
      stream.on('data', (message: Buffer) => messages.push(message.toString()))
      stream.end()
      const error = await new Promise<{ code: number; details: string; metadata: Metadata }>((resolve) =>
        stream.once('error', resolve as (error: unknown) => void),
      )
      assert.equal(error.code, status.FAILED_PRECONDITION, error.details)
      assert.equal(error.details, 'not today')
      assert.deepEqual(error.metadata.get('x-why'), ['tested'])
      assert.deepEqual(messages, ['one'])
    })

  test('share a tunnel', () => {
    assert.equal(proxy.lines.length, 2, proxy.lines.join('\n'))
    assert.equal(secure.lines.length, 2, secure.lines.join('\n'))
    assert.equal(hasty.opened(), 1)
  })
})
