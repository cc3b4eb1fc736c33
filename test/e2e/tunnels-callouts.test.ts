import { ServerCredentials } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { Authorization } from '../../src/protocols/grpc/ext-authz.gen.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type GrpcServer, grpcServer, unary } from '../support/grpc-server.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { sendRequest } from '../support/send-request.ts'

suite('gRPC services of policies behind an HTTP proxy', () => {
  const authority = makeAuthority()
  const stack = new AsyncDisposableStack()
  let proxy: HttpProxy
  let secure: HttpProxy
  let plain: GrpcServer
  let tls: GrpcServer
  let upstream: EchoUpstream
  let daemon: Daemon
  /** The authorities of the calls of the services. */
  const called: string[] = []

  before(async () => {
    const certificate = authority.issue('authz.example')
    const handlers = [
      unary(Authorization.method.check, (_, call) => {
        called.push(call.getHost())
        return { status: { code: 0 } }
      }),
    ]
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
    secure.credential = 'Basic b'
    upstream = stack.use(await startEcho('upstream'))
    const by = (port: number, more = '') => `backendTunnel: { proxy: { host: "127.0.0.1:${port}" }${more} }`
    const toSecure = (key: string) =>
      by(
        secure.port,
        `, policies: { backendTLS: { root: ${authority.certFile}, hostname: proxy.example }, backendAuth: { key: { value: ${key}, location: { header: { name: proxy-authorization, prefix: 'Basic ' } } } } }`,
      )
    const route = (name: string, extAuthz: string) => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { extAuthz: { ${extAuthz} } }
    backends: [{ host: "${upstream.host}" }]`
    const trust = `backendTLS: { root: ${authority.certFile} }`
    daemon = stack.use(
      await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends:
  - { name: named, host: "named.example:${plain.port}", policies: { ${by(proxy.port)} } }
services:
  - name: pods
    namespace: default
    hostname: pods.default.svc
    vips: []
    ports: { '80': ${plain.port} }
workloads:
  - { uid: one, name: one, namespace: default, workloadIps: [127.0.0.1], services: { default/pods.default.svc: { '80': ${plain.port} } } }
policies:
  - name: { name: through }
    target: { backend: { service: { namespace: default, hostname: pods.default.svc } } }
    policy: { ${by(proxy.port)} }
routes:
${route('direct', `host: "127.0.0.1:${plain.port}"`)}
${route('plain', `host: "authz.example:${plain.port}", policies: { ${by(proxy.port)} }`)}
${route('address', `host: "127.0.0.1:${plain.port}", policies: { ${by(proxy.port)} }`)}
${route('tls', `host: "authz.example:${tls.port}", policies: { ${trust}, ${by(proxy.port)} }`)}
${route('secure', `host: "authz.example:${tls.port}", policies: { ${trust}, ${toSecure('b')} }`)}
${route('unwelcome', `host: "authz.example:${tls.port}", policies: { ${trust}, ${toSecure('c')} }`)}
${route('named', 'backend: named')}
${route('pods', 'service: { name: default/pods.default.svc, port: 80 }')}
${route('dead', `host: "127.0.0.1:${plain.port}", policies: { ${by(1)} }`)}
${route('invalid', `host: "127.0.0.1:${plain.port}", policies: { backendTunnel: { invalid: tested } }`)}
`),
    )
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })
  beforeEach(() => {
    called.length = 0
    proxy.lines.length = 0
    secure.lines.length = 0
  })

  const statusOf = async (name: string): Promise<number> =>
    (await sendRequest(daemon.url('default'), `/${name}`)).status

  test('are called directly without one', async () => {
    assert.equal(await statusOf('direct'), 200)
    assert.deepEqual([called.length, proxy.lines], [1, []])
  })

  test('are called through it, by a name that the proxy looks up', async () => {
    assert.equal(await statusOf('plain'), 200)
    assert.deepEqual(proxy.lines, [`CONNECT authz.example:${plain.port}`])
    assert.deepEqual(called, [`authz.example:${plain.port}`])
    assert.equal(await statusOf('plain'), 200)
    assert.equal(proxy.lines.length, 1, 'the connection is kept')
  })

  test('have the authority of the service, not that of the proxy', async () => {
    assert.equal(await statusOf('address'), 200)
    assert.deepEqual(proxy.lines, [`CONNECT 127.0.0.1:${plain.port}`])
    assert.deepEqual(called, [`127.0.0.1:${plain.port}`])
  })

  test('have TLS of their own within the tunnel', async () => {
    assert.equal(await statusOf('tls'), 200)
    assert.deepEqual([proxy.lines, called.length], [[`CONNECT authz.example:${tls.port}`], 1])
  })

  test('are called through a proxy with TLS and a credential', async () => {
    assert.equal(await statusOf('secure'), 200)
    assert.deepEqual([secure.lines, called.length], [[`CONNECT authz.example:${tls.port}`], 1])
    assert.equal(secure.said.at(-1)?.credential, 'Basic b')
  })

  test('are not reached where the proxy refuses: the request is refused', async () => {
    assert.equal(await statusOf('unwelcome'), 403)
    assert.deepEqual(called, [])
  })

  for (const name of ['named', 'pods'])
    test(`are called through the tunnel of a policy of the service: ${name}`, async () => {
      assert.equal(await statusOf(name), 200)
      assert.deepEqual([proxy.lines.length, called.length], [1, 1])
    })

  for (const name of ['dead', 'invalid'])
    test(`are never called around a proxy that is not there: ${name}`, async () => {
      assert.equal(await statusOf(name), 403)
      assert.deepEqual(called, [])
    })
})
