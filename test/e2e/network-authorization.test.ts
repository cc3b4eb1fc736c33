import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls, type ConnectionOptions, createServer as createTlsServer } from 'node:tls'
import { type Authority, makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

const request = 'GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n'
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const [friend, stranger] = ['127.0.0.3', '127.0.0.2']

const portOf = (daemon: Daemon, name: string): number => Number(new URL(daemon.url(name)).port)

type Options = ConnectionOptions & { readonly localAddress?: string }

/** Everything that a client at this address receives until the gateway ends the connection. */
const say = async (daemon: Daemon, gateway: string, localAddress: string, bytes: string): Promise<string> => {
  using client = new RawClient(connect({ port: portOf(daemon, gateway), host: '127.0.0.1', localAddress }))
  client.send(bytes)
  return await client.end()
}

suite('networkAuthorization', () => {
  let authority: Authority
  let echo: UpstreamServer
  let secret: UpstreamServer
  before(async () => {
    authority = makeAuthority()
    echo = await rawServer((socket) => socket.end('echoed'))
    secret = await listening(
      createTlsServer(authority.issue('a.example', ['DNS:a.example', 'DNS:bad.example']), (socket) =>
        socket.end('secret'),
      ),
    )
  })
  after(async () => {
    await echo[Symbol.asyncDispose]()
    await secret[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  const configuration = (rules: string, more = ''): string => {
    const { certFile, keyFile } = authority.issue('gateway.example', ['DNS:a.example', 'DNS:bad.example'])
    return `${anyPorts}
frontendPolicies:
  networkAuthorization: { rules: ${rules} }
${more}
gateways:
  plain: { port: 0, address: 127.0.0.1 }
  secured:
    port: 0
    address: 127.0.0.1
    listeners: [{ name: any, protocol: HTTPS, tls: { cert: ${certFile}, key: ${keyFile}, root: ${authority.certFile} } }]
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
  passed: { port: 0, address: 127.0.0.1, listeners: [{ name: any, protocol: TLS }] }
routes:
  - { name: hello, gateways: [plain, secured], policies: { directResponse: { status: 200, body: hello } } }
tcpRoutes:
  - { name: echo, gateways: raw, backends: [{ host: "127.0.0.1:${echo.port}" }] }
  - { name: secret, gateways: passed, backends: [{ host: "127.0.0.1:${secret.port}" }] }
`
  }

  /** The first bytes received over TLS, or how it ended. */
  const sayTls = async (daemon: Daemon, gateway: string, options: Options): Promise<string> => {
    const socket = connectTls({
      port: portOf(daemon, gateway),
      host: '127.0.0.1',
      ca: authority.cert,
      servername: 'a.example',
      ...options,
    })
    let got = ''
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()))
    socket.on('error', (error: NodeJS.ErrnoException) => (got ||= error.code ?? error.message))
    socket.on('secureConnect', () => socket.write(request))
    await new Promise((resolve) => socket.once('close', resolve))
    return got
  }

  suite('by address', () => {
    let daemon: Daemon
    before(async () => {
      daemon = await startDaemon(configuration(`[{ deny: "source.address == '${stranger}'" }]`))
    })
    after(() => daemon.stop('SIGKILL'))

    for (const [gateway, bytes, answer] of [
      ['plain', request, /^HTTP\/1\.1 200 .*hello$/s],
      ['plain', preface, /^\0/],
      ['raw', 'hi', /^echoed$/],
    ] as const)
      test(`closes connections to ${gateway} that begin with ${JSON.stringify(bytes.slice(0, 3))}, and accepts others`, async () => {
        assert.equal(await say(daemon, gateway, stranger, bytes), '')
        using client = new RawClient(
          connect({ port: portOf(daemon, gateway), host: '127.0.0.1', localAddress: friend }),
        )
        client.send(bytes)
        assert.match(await client.until(answer), answer)
      })

    test('closes them before the client sends anything', async () => {
      for (const gateway of ['plain', 'raw', 'secured', 'passed'])
        assert.equal(await say(daemon, gateway, stranger, ''), '')
    })

    test('closes them before a TLS handshake', async () => {
      const { cert, key } = authority.issue('b.example')
      for (const gateway of ['secured', 'passed']) {
        assert.match(await sayTls(daemon, gateway, { localAddress: stranger, cert, key }), /^ECONNRESET$/)
        assert.match(await sayTls(daemon, gateway, { localAddress: friend, cert, key }), /hello$|^secret$/)
      }
    })

    test('logs each of them', async () => {
      // Known before it is connected: it may be closed before this side has seen that it is open.
      const localPort = await freePort()
      const socket: Socket = connect({
        port: portOf(daemon, 'plain'),
        host: '127.0.0.1',
        localAddress: stranger,
        localPort,
      })
      socket.on('error', () => undefined).resume()
      const [line] = await daemon.printed(new RegExp(`.*src\\.addr=${stranger}:${localPort} .*`))
      assert.match(
        line,
        /\tinfo\trequest gateway=default\/plain .*error="authorization failed" reason=Authorization code=network_authorization_failed /,
      )
      socket.destroy()
    })
  })

  test('provides attributes of the TLS handshake to rules', async () => {
    await using daemon = await startDaemon(
      configuration(
        `[{ require: "default(source.subjectCn, 'a.example') == 'a.example'" }, { deny: "default(destination.hostname, '') == 'bad.example'" }, { deny: "source.address == '${stranger}'" }]`,
      ),
    )
    const [a, b] = ['a.example', 'b.example'].map((name) => {
      const { cert, key } = authority.issue(name)
      return { cert, key }
    })
    assert.match(await sayTls(daemon, 'secured', { ...a, localAddress: friend }), /hello$/)
    for (const refused of [
      { ...b, localAddress: friend },
      { ...a, localAddress: stranger },
      { ...a, servername: 'bad.example' },
    ])
      assert.match(await sayTls(daemon, 'secured', refused), /^(ECONNRESET)?$/)
    assert.equal(await sayTls(daemon, 'passed', {}), 'secret')
    assert.match(await sayTls(daemon, 'passed', { servername: 'bad.example' }), /^(ECONNRESET)?$/)
    assert.match(await say(daemon, 'plain', friend, request), /hello$/)
    assert.equal(await say(daemon, 'plain', stranger, request), '')
    assert.equal(await say(daemon, 'raw', friend, 'hi'), 'echoed')
    assert.equal(await say(daemon, 'raw', stranger, 'hi'), '')
  })

  test('uses the client address from the PROXY header', async () => {
    await using daemon = await startDaemon(
      configuration(`["source.address == '192.0.2.7'"]`, '  proxy: { version: v1 }\n'),
    )
    const told = (address: string) => `PROXY TCP4 ${address} 198.51.100.2 1234 443\r\n`
    assert.match(await say(daemon, 'plain', friend, told('192.0.2.7') + request), /hello$/)
    assert.equal(await say(daemon, 'plain', friend, told('192.0.2.8') + request), '')
  })

  test('closes connections if a rule cannot be evaluated', async () => {
    await using daemon = await startDaemon(configuration(`[{ deny: "source.subjectCn == 'b.example'" }]`))
    assert.equal(await say(daemon, 'plain', friend, request), '')
  })

  test('is reloaded for new connections', async () => {
    await using daemon = await startDaemon(configuration('[]'))
    using before = new RawClient(connect({ port: portOf(daemon, 'plain'), host: '127.0.0.1' }))
    before.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await before.until('hello')
    daemon.rewrite(configuration(`["false"]`))
    await daemon.printed(/in force[^]*in force/)
    before.send(request)
    await before.until(/hello.*hello/s)
    assert.equal(await say(daemon, 'plain', friend, request), '')
  })
})
