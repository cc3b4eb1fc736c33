import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { parseConfig } from '../../src/config/parse.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { rawServer } from '../support/upstream-servers.ts'
import { ownNames } from '../support/resolver-names.ts'

const portOf = (daemon: Daemon, name: string): number => {
  const found = new RegExp(`\\b${name} listens on \\S+:(\\d+)`).exec(daemon.output())?.[1]
  if (found === undefined) throw new Error(`${name} does not listen:\n${daemon.output()}`)
  return Number(found)
}

/** Everything received on a connection that sends hello and nothing more. */
const answerOf = async (port: number): Promise<string> => {
  using client = await RawClient.to(port)
  client.send('hello')
  client.socket.end()
  return await client.end()
}

suite('TCP routes with a dynamic destination', () => {
  const loopback = 'privateRanges: [127.0.0.0/8]'

  test('connect to the result of an expression, if it is allowed', async () => {
    await using echo = await rawServer((socket) => socket.pipe(socket))
    const target = `"'127.0.0.1:${echo.port}'"`
    const backends: Readonly<Record<string, string>> = {
      allowed: `target: ${target}, allow: { hosts: ["127.0.0.1"], ports: [${echo.port}], ${loopback} }`,
      named: `target: "'localhost:${echo.port}'", allow: { hosts: [localhost], ${loopback} }`,
      unlisted: `target: ${target}`,
      other: `target: ${target}, allow: { hosts: [a.example], ${loopback} }`,
      private: `target: "'localhost:${echo.port}'", allow: { hosts: ["*"] }`,
      address: `target: ${target}, allow: { hosts: ["*"] }`,
      port: `target: ${target}, allow: { hosts: ["*"], ports: [1], ${loopback} }`,
      disguised: `target: "'2130706433:${echo.port}'", allow: { hosts: ["*"], ${loopback} }`,
      wrong: `target: "string(source.port) + ' x'", allow: { hosts: ["*"], ${loopback} }`,
      nothing: `allow: { hosts: ["*"], ${loopback} }`,
    }
    await using daemon = await startDaemon(`${anyPorts}
gateways:
${Object.keys(backends)
  .map((name) => `  ${name}: { port: 0, address: 127.0.0.1, protocol: TCP }`)
  .join('\n')}
tcpRoutes:
${Object.entries(backends)
  .map(
    ([name, dynamic]) => `  - { name: ${name}, gateways: ${name}, backends: [{ dynamic: { ${dynamic} } }] }`,
  )
  .join('\n')}
`)
    for (const name of Object.keys(backends))
      assert.equal(
        await answerOf(portOf(daemon, name)),
        name === 'allowed' || name === 'named' ? 'hello' : '',
        name,
      )
    const [line] = await daemon.printed(/.*request .*route=default\/private.*/)
    assert.match(line, /reason=Authorization/)
    assert.match(line, /dynamic_backend_refused|the requested destination is not allowed/)
  })

  test('connect to the server name of a TLS client, at the port of the listener', async () => {
    using authority = makeAuthority()
    // One that the system gives for the gateway may be in use at the other address.
    const port = await freePort()
    using names = ownNames({ 'a.example': ['127.0.0.2'], 'b.example': ['127.0.0.2', '10.0.0.1'] })
    await using _ = await startDaemon(
      `${anyPorts}
gateways:
  passed:
    port: ${port}
    address: 127.0.0.1
    listeners: [{ name: all, protocol: TLS }]
tcpRoutes:
  - name: sni
    backends: [{ dynamic: { allow: { hosts: ["*.example"], ${loopback} } } }]
    gateways: passed
`,
      names.options,
    )
    const sockets = new Set<Socket>()
    const server = createTlsServer(authority.issue('a.example'), (socket) => socket.end('secret'))
    server.on('connection', (socket: Socket) => sockets.add(socket))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.2', resolve))
    try {
      const ask = (servername: string): Promise<string> =>
        text(connectTls({ port, host: '127.0.0.1', servername, ca: authority.cert })).catch(() => '')
      assert.equal(await ask('a.example'), 'secret')
      // One of its addresses is private, and not allowed.
      assert.equal(await ask('b.example'), '')
      assert.equal(await ask('a.elsewhere'), '')
      // Without TLS there is no server name.
      assert.equal(await text(connect(port, '127.0.0.1').end('hello')).catch(() => ''), '')
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })

  test('can only read the connection, and are warned about if nothing is allowed', () => {
    const file = (dynamic: string): string =>
      `gateways: { default: { port: 3000, protocol: TCP } }\ntcpRoutes: [{ backends: [{ dynamic: { ${dynamic} } }] }]\n`
    const load = (dynamic: string) => parseConfig(file(dynamic), 'gateway.yaml', {})
    assert.throws(
      () => load('target: request.path'),
      /must not read request: of a connection there are source and destination/,
    )
    assert.deepEqual(
      load('target: source.address').warnings.map(({ code }) => code),
      ['dynamic_allows_nothing'],
    )
    assert.deepEqual(load('target: destination.hostname, allow: { hosts: [a] }').warnings, [])
  })
})
