import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { after, before, suite, test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import { sendRequest } from '../support/send-request.ts'
import { type Authority, makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

/** A request as a server received it. */
interface Asked {
  readonly isEncrypted: boolean
  readonly serverName: string | undefined
  readonly method: string
  readonly target: string
  readonly host: string
}

suite('a service of a policy can be a URL', () => {
  let authority: Authority
  let server: TlsServer
  let plain: ReturnType<typeof createServer>
  let grpc: ReturnType<typeof createSecureServer>
  const asked: Asked[] = []
  const waiting: (() => void)[] = []
  let https = ''
  let http = ''
  let grpcAddress = ''

  const trusting = () => ({ env: { NODE_EXTRA_CA_CERTS: authority.certFile } })

  before(async () => {
    authority = makeAuthority()
    const { cert, key } = authority.issue('localhost')
    const take = (req: IncomingMessage, res: ServerResponse): void => {
      const socket = req.socket as Partial<TLSSocket>
      asked.push({
        isEncrypted: socket.encrypted === true,
        serverName: (socket as { servername?: string }).servername,
        method: req.method ?? '',
        target: req.url ?? '',
        host: req.headers.host ?? '',
      })
      for (const wake of waiting.splice(0)) wake()
      req.resume()
      req.once('end', () =>
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"action":{"reason":"fine"}}'),
      )
    }
    server = createTlsServer({ cert, key }, take).listen(0, '127.0.0.1')
    plain = createServer(take).listen(0, '127.0.0.1')
    grpc = createSecureServer({ cert, key }).listen(0, '127.0.0.1')
    // The status of the call does not matter: the test checks TLS and the server name.
    grpc.on('stream', (stream, headers) => {
      asked.push({
        isEncrypted: true,
        serverName: (stream.session?.socket as { servername?: string } | undefined)?.servername,
        method: 'POST',
        target: String(headers[':path']),
        host: String(headers[':authority']),
      })
      for (const wake of waiting.splice(0)) wake()
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '13' },
        { endStream: true },
      )
    })
    await Promise.all([server, plain, grpc].map((one) => once(one, 'listening')))
    const port = (one: { address(): unknown }): number => (one.address() as AddressInfo).port
    https = `https://localhost:${port(server)}`
    http = `http://localhost:${port(plain)}`
    grpcAddress = `https://localhost:${port(grpc)}`
  })
  after(() => {
    for (const one of [server, plain]) {
      one.closeAllConnections()
      one.close()
    }
    grpc.close()
    authority[Symbol.dispose]()
  })

  const answer = 'directResponse: { status: 200, body: ok }'
  /** One policy each that calls a service at `HOST`. */
  const cases: Readonly<Record<string, { readonly route: string; readonly isGrpc?: true }>> = {
    'extAuthz over HTTP': {
      route: `policies: { extAuthz: { host: "HOST", protocol: { http: {} } }, ${answer} }`,
    },
    'extAuthz over gRPC': { route: `policies: { extAuthz: { host: "HOST" }, ${answer} }`, isGrpc: true },
    extProc: {
      route: `policies: { extProc: { host: "HOST", failureMode: failOpen }, ${answer} }`,
      isGrpc: true,
    },
    remoteRateLimit: {
      route: `policies: { remoteRateLimit: { host: "HOST", domain: d, failureMode: failOpen, descriptors: [{ entries: [{ key: a, value: '"b"' }] }] }, ${answer} }`,
      isGrpc: true,
    },
    'a mirror': { route: `policies: { requestMirror: { backend: { host: "HOST" } }, ${answer} }` },
    'a backend': { route: `backends: [{ host: "HOST" }]` },
  }
  const routes = (hostOf: (isGrpc: boolean) => string): string =>
    Object.values(cases)
      .map(({ route, isGrpc }, index) => {
        const host = hostOf(isGrpc === true)
        return `  - { matches: [{ path: { exact: /${index} } }], ${route.replace('HOST', host)} }`
      })
      .join('\n')
  const gateway = (routesText: string): string =>
    `${anyPorts}gateways: { default: { port: 0, address: 127.0.0.1 } }\nroutes:\n${routesText}\n`

  test('with TLS for https, and without for http', async () => {
    await using encrypted = await startDaemon(
      gateway(routes((isGrpc) => (isGrpc ? grpcAddress : https))),
      trusting(),
    )
    await using clear = await startDaemon(gateway(routes(() => `${http}/`)))
    for (const [index, [what, { isGrpc }]] of Object.entries(cases).entries()) {
      const called = async (url: string): Promise<readonly Asked[]> => {
        asked.length = 0
        const arrived = new Promise<void>((resolve) => waiting.push(resolve))
        await sendRequest(url, `/${index}`)
        await arrived
        return [...asked]
      }
      for (const { isEncrypted, serverName } of await called(encrypted.url('default')))
        assert.deepEqual({ isEncrypted, serverName }, { isEncrypted: true, serverName: 'localhost' }, what)
      if (!isGrpc)
        for (const { isEncrypted } of await called(clear.url('default')))
          assert.equal(isEncrypted, false, what)
    }
  })

  test('whose certificate must be publicly trusted', async () => {
    asked.length = 0
    await using daemon = await startDaemon(gateway(routes(() => https)))
    assert.equal((await sendRequest(daemon.url('default'), '/0')).status, 403)
    assert.deepEqual(asked, [])
  })

  test('for the webhook of a guard', async () => {
    asked.length = 0
    await using daemon = await startDaemon(
      `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
llm:
  models:
    - name: m
      provider: { mock: {} }
      guardrails: { request: [{ webhook: { target: { host: "${https}" } } }] }
`,
      trusting(),
    )
    const { status, text } = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    })
    assert.equal(status, 200, text)
    assert.deepEqual(
      asked.map(({ isEncrypted, target }) => ({ isEncrypted, target })),
      [{ isEncrypted: true, target: '/request' }],
    )
  })
})

test('a service URL is accepted wherever a service is called', () => {
  const { resources } = parseConfig(
    `gateways: { default: { port: 3000 } }
routes:
  - policies:
      mcpGuardrails: { processors: [{ kind: remote, host: "https://guard.example", methods: { "tools/call": request } }] }
      backendTunnel: { proxy: { host: "https://proxy.example" } }
      backendAuth: { oauthTokenExchange: { host: "https://tokens.example" } }
    backends: [{ mcp: { targets: [{ name: a, mcp: { host: "https://mcp.example/mcp" } }] } }]
`,
    'gateway.yaml',
    {},
  )
  const policies = resources.binds[0]?.listeners[0]?.routes[0]?.policies
  const text = JSON.stringify(policies)
  for (const host of ['guard', 'proxy', 'tokens'])
    assert.match(
      text,
      new RegExp(`"host":"${host}.example","port":443\\}\\},"policies":\\{"backendTLS":`),
      host,
    )
})

suite('a service URL', () => {
  const backend = (host: string) => {
    const { resources } = parseConfig(
      `gateways: { default: { port: 3000 } }\nroutes: [{ backends: [{ host: "${host}" }] }]\n`,
      'gateway.yaml',
      {},
    )
    const [found] = resources.backends
    return {
      ...(found?.spec.type === 'static' ? found.spec.target : {}),
      isEncrypted: found?.policies.backendTLS !== undefined,
    }
  }
  test('has the default ports, and TLS for https', () => {
    assert.deepEqual(backend('https://api.example'), { host: 'api.example', port: 443, isEncrypted: true })
    assert.deepEqual(backend('https://api.example:8443/'), {
      host: 'api.example',
      port: 8443,
      isEncrypted: true,
    })
    assert.deepEqual(backend('http://api.example'), { host: 'api.example', port: 80, isEncrypted: false })
    assert.deepEqual(backend('HTTPS://[::1]'), { host: '::1', port: 443, isEncrypted: true })
    assert.deepEqual(backend('api.example:80'), { host: 'api.example', port: 80, isEncrypted: false })
  })
  test('is overridden by a TLS policy', () => {
    const { resources } = parseConfig(
      `gateways: { default: { port: 3000 } }
routes: [{ policies: { extAuthz: { host: "https://a.example", protocol: { http: {} }, policies: { backendTLS: { hostname: b.example } } } }, backends: [{ host: "a:1" }] }]
`,
      'gateway.yaml',
      {},
    )
    const authz = resources.binds[0]?.listeners[0]?.routes[0]?.policies.extAuthz
    assert.ok(authz && 'service' in authz)
    assert.equal(authz.service.policies.backendTLS?.hostname, 'b.example')
  })
  for (const wrong of [
    'https://a.example/path',
    'https://me:secret@a.example',
    'https://a.example?x',
    'https://',
    'https://a.example:0',
    'https://1.2.3',
    'ftp://a.example',
  ])
    test(`is refused: ${wrong}`, () => {
      assert.throws(() => backend(wrong), /must be host:port, unix:\/path, http:\/\/host or https:\/\/host/)
    })
})
