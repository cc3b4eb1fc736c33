import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { sendRequest } from '../support/send-request.ts'
import { httpServer, listening, type UpstreamServer } from '../support/upstream-servers.ts'

/** Attached to a backend whose own TLS is nearer, and valid. */
suite('policies of a backend that are marked as invalid', () => {
  const stack = new AsyncDisposableStack()
  const authority = makeAuthority()
  let requests = 0
  let plain: UpstreamServer
  let tls: UpstreamServer
  let proxy: HttpProxy
  let daemon: Daemon

  const attached = (backend: string, policy: string) =>
    `  - { name: { name: "${backend}" }, target: { backend: { backend: { name: ${backend} } } }, policy: ${policy} }\n`
  const route = (backend: string) =>
    `  - { matches: [{ path: { exact: /${backend} } }], backends: [{ backend: ${backend} }] }\n`

  before(async () => {
    plain = stack.use(await httpServer((_, response) => response.end(`open ${String(++requests)}`)))
    tls = stack.use(
      await listening(
        createTlsServer(authority.issue('up.example'), (_, response) =>
          response.end(`open ${String(++requests)}`),
        ),
      ),
    )
    proxy = stack.use(await startProxy())
    const isOpen = `host: "127.0.0.1:${tls.port}", policies: { backendTLS: { insecure: true }`
    const names = ['auth', 'tunnel', 'auth-replaced', 'tunnel-replaced', 'proxy-auth', 'plain-tunnel']
    daemon = stack.use(
      await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
tcpRoutes:
  - { gateways: [raw], backends: [{ backend: plain-tunnel }] }
backends:
  - { name: auth, ${isOpen} } }
  - { name: tunnel, ${isOpen} } }
  - { name: auth-replaced, ${isOpen}, backendAuth: { key: a-key } } }
  - { name: tunnel-replaced, ${isOpen}, backendTunnel: { proxy: { host: "127.0.0.1:${proxy.port}" } } } }
  - { name: proxy, host: "127.0.0.1:${proxy.port}" }
  - { name: proxy-auth, ${isOpen}, backendTunnel: { proxy: { backend: proxy } } } }
  - { name: plain-tunnel, host: "127.0.0.1:${plain.port}" }
policies:
${attached('auth', '{ backendAuth: { invalid: the Secret is gone } }')}
${attached('tunnel', '{ backendTunnel: { invalid: the Service is gone } }')}
${attached('auth-replaced', '{ backendAuth: { invalid: the Secret is gone } }')}
${attached('tunnel-replaced', '{ backendTunnel: { invalid: the Service is gone } }')}
${attached('proxy', '{ backendAuth: { invalid: the key of the proxy is gone } }')}
${attached('plain-tunnel', '{ backendTunnel: { invalid: the Service is gone } }')}
routes:
${names.map(route).join('')}
`),
    )
  })
  after(async () => {
    authority[Symbol.dispose]()
    await stack.disposeAsync()
  })

  const refused = async (path: string, reason: RegExp): Promise<string> => {
    const before = [requests, proxy.lines.length]
    const { status, text } = await sendRequest(daemon.url('default'), `/${path}`)
    assert.ok(status >= 500, `${String(status)} ${text}`)
    assert.deepEqual([requests, proxy.lines.length], before)
    await daemon.printed(reason)
    return text
  }

  test('authentication lets no request pass, and clients do not learn why', async () => {
    const text = await refused('auth', /the Secret is gone/)
    assert.doesNotMatch(text, /Secret/)
  })

  test('a tunnel lets no request pass, to whatever backend', async () => {
    for (const path of ['tunnel', 'plain-tunnel'])
      assert.doesNotMatch(await refused(path, /the Service is gone/), /Service/)
  })

  test('a proxy is not asked without the credential that it is meant to get', async () => {
    await refused('proxy-auth', /the key of the proxy is gone/)
  })

  test('a tunnel lets no raw connection pass', async () => {
    const before = requests
    const socket = connect(Number(new URL(daemon.url('raw')).port), '127.0.0.1')
    socket.on('error', () => undefined).resume()
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await new Promise((resolve) => socket.on('close', resolve))
    assert.equal(requests, before)
  })

  test('a nearer policy of the same field replaces them', async () => {
    for (const path of ['auth-replaced', 'tunnel-replaced'])
      assert.equal((await sendRequest(daemon.url('default'), `/${path}`)).status, 200)
  })

  test('dumps have the reason', async () => {
    const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
    assert.match(text, /"invalid":\s*"the Secret is gone"/)
    assert.match(text, /the Service is gone/)
  })
})
