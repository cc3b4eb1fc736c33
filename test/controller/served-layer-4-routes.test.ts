import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { makeAuthority } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveGateway } from './support/served-gateway.ts'

/*
 * TLSRoutes and TCPRoutes as they are written in a cluster, translated, and served by a gateway in its own process.
 */

/** Listeners, with their ports. */
type Ports = Readonly<Record<'mixed' | 'ended' | 'first' | 'weighted' | 'empty' | 'sealed', number>>

const gateway = ({ mixed, ended, ...tcp }: Ports): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: edge }
spec:
  gatewayClassName: agentgateway
  listeners:
    - { name: passed, port: ${mixed}, protocol: TLS, hostname: '*.passed.test', tls: { mode: Passthrough } }
    - name: beside
      port: ${mixed}
      protocol: TLS
      hostname: ended.test
      tls: { mode: Terminate, certificateRefs: [{ name: site }] }
    - { name: ended, port: ${ended}, protocol: TLS, tls: { mode: Terminate, certificateRefs: [{ name: site }] } }
${Object.entries(tcp)
  .map(([name, port]) => `    - { name: ${name}, port: ${port}, protocol: TCP }`)
  .join('\n')}
`

const secret = ({ cert, key }: { readonly cert: string; readonly key: string }): string => `
---
kind: Secret
type: kubernetes.io/tls
metadata: { namespace: shop, name: site }
stringData: ${JSON.stringify({ 'tls.crt': cert, 'tls.key': key })}
`

const service = (name: string, port: number | undefined): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: any, port: 1, targetPort: 1 }] }
${
  port === undefined
    ? ''
    : `---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: any, port: ${port} }]
endpoints: [{ addresses: [10.244.0.5], conditions: { ready: true } }]`
}`

interface RouteParts {
  readonly section?: string
  readonly hostnames?: readonly string[]
  /** Weights by Service. */
  readonly to: Readonly<Record<string, number>>
  readonly createdAt?: string
}

const route = (kind: 'TLSRoute' | 'TCPRoute', name: string, parts: RouteParts): string => {
  const { section, hostnames, to, createdAt = '2026-01-01T00:00:00Z' } = parts
  return `
---
kind: ${kind}
metadata: { namespace: shop, name: ${name}, creationTimestamp: ${JSON.stringify(createdAt)} }
spec: ${JSON.stringify({
    parentRefs: [{ name: 'edge', ...(section === undefined ? {} : { sectionName: section }) }],
    ...(hostnames ? { hostnames } : {}),
    rules: [
      { backendRefs: Object.entries(to).map(([service, weight]) => ({ name: service, port: 1, weight })) },
    ],
  })}
`
}

/** Of a Service whose server speaks TLS: clients that pass through must not be encrypted once more. */
const backendTls = (ca: string): string => `
---
kind: ConfigMap
metadata: { namespace: shop, name: ca }
data: ${JSON.stringify({ 'ca.crt': ca })}
---
kind: BackendTLSPolicy
metadata: { namespace: shop, name: sealed }
spec:
  targetRefs: [{ group: '', kind: Service, name: sealed }]
  validation: { hostname: sealed.test, caCertificateRefs: [{ group: '', kind: ConfigMap, name: ca }] }
`

const routes = [
  route('TLSRoute', 'passed', { hostnames: ['*.passed.test'], to: { sealed: 1 } }),
  route('TLSRoute', 'exact', { hostnames: ['one.passed.test'], to: { other: 1 } }),
  route('TLSRoute', 'lost', { hostnames: ['lost.passed.test'], to: { none: 1 } }),
  route('TLSRoute', 'beside', { section: 'beside', hostnames: ['ended.test'], to: { plain: 1 } }),
  route('TLSRoute', 'again', { section: 'ended', hostnames: ['*.again.test'], to: { sealed: 1 } }),
  route('TCPRoute', 'any', { section: 'ended', to: { plain: 1 } }),
  route('TCPRoute', 'a-younger', { section: 'first', to: { other: 1 }, createdAt: '2026-01-02T00:00:00Z' }),
  route('TCPRoute', 'b-older', { section: 'first', to: { plain: 1 } }),
  route('TCPRoute', 'weighted', { section: 'weighted', to: { plain: 1, none: 3, other: 0 } }),
  route('TCPRoute', 'empty', { section: 'empty', to: { empty: 1 } }),
  route('TCPRoute', 'sealed', { section: 'sealed', to: { sealed: 1 } }),
].join('')

/** Says its name and the server name of the client. */
const tlsServer = (name: string, options: TlsOptions): Promise<UpstreamServer> =>
  listening(
    createTlsServer(options, (socket) => {
      socket.on('error', () => undefined)
      socket.end(`${name} for ${String(socket.servername)}`)
    }),
  )

/** What the server says, or how the connection ended. */
const received = async (socket: Socket): Promise<string> => {
  try {
    return await text(socket)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

suite('translated routes of connections', () => {
  const stack = new AsyncDisposableStack()
  const authority = stack.use(makeAuthority())
  let ports: Ports

  before(async () => {
    const plain = stack.use(await rawServer((socket) => socket.end('plain')))
    const sealed = authority.issue('sealed', ['DNS:sealed.test', 'DNS:*.passed.test'])
    const other = authority.issue('other', ['DNS:*.passed.test'])
    const [sealedServer, otherServer] = [
      stack.use(await tlsServer('sealed', sealed)),
      stack.use(await tlsServer('other', other)),
    ]
    ports = {
      mixed: await freePort(),
      ended: await freePort(),
      first: await freePort(),
      weighted: await freePort(),
      empty: await freePort(),
      sealed: await freePort(),
    }
    const objects = [
      gateway(ports),
      secret(authority.issue('site', ['DNS:ended.test', 'DNS:*.again.test', 'DNS:any.test'])),
      service('plain', plain.port),
      service('sealed', sealedServer.port),
      service('other', otherServer.port),
      service('empty', undefined),
      backendTls(authority.cert),
      routes,
    ]
    const graph = goldenGraph(readGoldenObjects(objects.join(''), (one) => one))
    stack.use(await serveGateway(graph, 'shop/edge', { address: '127.0.0.1' }))
  })
  after(() => stack.disposeAsync())

  const byTcp = (port: number): Promise<string> => received(connect({ port, host: '127.0.0.1' }))
  const byTls = (port: number, servername: string): Promise<string> =>
    received(connectTls({ port, host: '127.0.0.1', servername, ca: authority.cert }))

  test('pass TLS through beside TLS that ends at the gateway, on one port', async () => {
    // The Service has a TLS policy, which is for connections that are not encrypted yet.
    assert.equal(await byTls(ports.mixed, 'a.passed.test'), 'sealed for a.passed.test')
    assert.equal(await byTls(ports.mixed, 'one.passed.test'), 'other for one.passed.test')
    assert.equal(await byTls(ports.mixed, 'ended.test'), 'plain')
  })

  test('encrypt again what ended at the gateway, and what came without TLS, by the policy of a backend', async () => {
    assert.equal(await byTls(ports.ended, 'a.again.test'), 'sealed for sealed.test')
    assert.equal(await byTcp(ports.sealed), 'sealed for sealed.test')
  })

  test('take connections for other names by a TCPRoute of a listener that terminates', async () => {
    assert.equal(await byTls(ports.ended, 'any.test'), 'plain')
  })

  test('give all connections of a listener to the older route', async () => {
    for (let count = 0; count < 4; count++) assert.equal(await byTcp(ports.first), 'plain')
  })

  test('reset the share of a reference that leads nowhere', async () => {
    const outcomes: string[] = []
    for (let count = 0; count < 8; count++) outcomes.push(await byTcp(ports.weighted))
    const expected = [...Array<string>(6).fill('ECONNRESET'), 'plain', 'plain']
    assert.deepEqual(outcomes.sort(), expected)
  })

  test('reset connections to a Service without endpoints', async () => {
    assert.equal(await byTcp(ports.empty), 'ECONNRESET')
  })

  test('reset connections of TLS that nobody serves, without an alert that would be of the gateway', async () => {
    assert.equal(await byTls(ports.mixed, 'lost.passed.test'), 'ECONNRESET')
    assert.equal(await byTls(ports.mixed, 'unknown.test'), 'ECONNRESET')
  })
})
