import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { connect as connectHttp2, type Settings } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { type Authority, makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, daemonProgram, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { sendRequest } from '../support/send-request.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

suite('frontendPolicies', { concurrency: true }, () => {
  let authority: Authority
  let upstream: Upstream
  let daemon: Daemon

  before(async () => {
    authority = makeAuthority()
    const certificate = authority.issue('a.test', ['DNS:a.test'])
    upstream = await startUpstream((req, res) => {
      req.resume()
      res.setHeader('X-Names', req.rawHeaders.filter((_, i) => i % 2 === 0).join(' '))
      if (req.url !== '/never') req.once('end', () => res.end('ok'))
    })
    const tls = `cert: ${certificate.certFile}, key: ${certificate.keyFile}`
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  secure: { port: 0, address: 127.0.0.1, protocol: HTTPS, tls: { ${tls} } }
  older: { port: 0, address: 127.0.0.1, protocol: HTTPS, tls: { ${tls}, maxTLSVersion: TLS_V1_2 } }
frontendPolicies:
  accessLog: { filter: "false" }
  http:
    maxBufferSize: 16
    http1MaxHeaders: 6
    http1MaxHeaderSize: 1024
    http1IdleTimeout: 4s
    http1HeaderCase: preserve
    http2WindowSize: 70000
    http2FrameSize: 20000
    http2MaxHeaderSize: 2048
    headersTimeout: 4s
    requestBodyTimeout: 4s
    halfCloseGrace: 4s
  tls: { handshakeTimeout: 4s, minVersion: TLS_V1_2, alpn: [http/1.1] }
routes:
  - name: held
    gateways: [default, secure, older]
    matches: [{ path: { exact: /held } }]
    policies: { buffer: { request: {} } }
    backends: [{ host: "${upstream.host}" }]
  - name: all
    gateways: [default, secure, older]
    backends: [{ host: "${upstream.host}" }]
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  const port = (gateway = 'default') => Number(new URL(daemon.url(gateway)).port)
  /** Everything received until the gateway ends the connection. */
  const said = async (...pieces: readonly string[]): Promise<string> => {
    using client = await RawClient.to(port())
    for (const piece of pieces) client.send(piece)
    return await client.end()
  }
  const head = (path: string, ...fields: readonly string[]) =>
    [`GET ${path} HTTP/1.1`, 'Host: a.test', ...fields, '', ''].join('\r\n')

  test('limit the number of fields and the size of a head', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: y`)
    assert.match(await said(head('/', ...fields(5))), /^HTTP\/1\.1 200 /)
    assert.match(await said(head('/', ...fields(6))), /^HTTP\/1\.1 431 /)
    assert.match(await said(head('/', `X-Long: ${'y'.repeat(1100)}`)), /^HTTP\/1\.1 431 /)
  })

  test('keep the letter case of field names in both directions', async () => {
    assert.match(await said(head('/', 'X-CamelCase: y')), /\r\nX-Names: .*X-CamelCase/)
  })

  test('time out idle connections, slow heads and slow bodies', async () => {
    const began = performance.now()
    const [idle, slowHead, slowBody] = await Promise.all([
      said(head('/')),
      said('GET / HTTP/1.1\r\nHost: a'),
      said('POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nab'),
    ])
    assert.match(idle, /^HTTP\/1\.1 200 /)
    assert.match(slowHead, /^HTTP\/1\.1 408 /)
    assert.match(slowBody, /^HTTP\/1\.1 408 /)
    const took = performance.now() - began
    assert.ok(took >= 3_950 && took < 30_000, `${took} ms`)
  })

  test('limit how long a half-closed client is served', async () => {
    using client = await RawClient.to(port())
    client.send(head('/never'))
    client.socket.end()
    assert.equal(await client.end(), '')
  })

  test('limit the size of a buffered body', async () => {
    const body = (length: number) =>
      `POST /held HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
    assert.match(await said(body(16)), /^HTTP\/1\.1 200 /)
    assert.match(await said(body(17)), /^HTTP\/1\.1 413 /)
  })

  test('apply HTTP/2 settings', async () => {
    const session = connectHttp2(daemon.url('default'))
    try {
      const settings = await new Promise<Settings>((resolve, reject) => {
        session.once('remoteSettings', resolve).once('error', reject)
      })
      assert.deepEqual(
        [settings.initialWindowSize, settings.maxFrameSize, settings.maxHeaderListSize],
        [70_000, 20_000, 2_048],
      )
    } finally {
      session.destroy()
    }
  })

  test('restrict TLS versions and ALPN, and time out handshakes', async () => {
    const handshake = (gateway: string) =>
      new Promise<readonly unknown[]>((resolve, reject) => {
        const options = { ca: authority.cert, servername: 'a.test', ALPNProtocols: ['h2', 'http/1.1'] }
        const socket = connectTls({ port: port(gateway), host: '127.0.0.1', ...options }, () => {
          resolve([socket.getProtocol(), socket.alpnProtocol])
          socket.destroy()
        }).once('error', reject)
      })
    assert.deepEqual(await handshake('secure'), ['TLSv1.3', 'http/1.1'])
    assert.deepEqual(await handshake('older'), ['TLSv1.2', 'http/1.1'])
    using silent = await RawClient.to(port('secure'))
    const began = performance.now()
    assert.equal(await silent.end(), '')
    const took = performance.now() - began
    assert.ok(took >= 3_950 && took < 30_000, `${took} ms`)
  })
})

test('admission.maxExchanges refuses further exchanges with 503', async () => {
  const parked = Promise.withResolvers<undefined>()
  let waiting = 0
  const all = Promise.withResolvers<undefined>()
  await using upstream = await startUpstream((req, res) => {
    if (++waiting === 2) all.resolve(undefined)
    void parked.promise.then(() => res.end('at last'))
  })
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { admission: { maxExchanges: 2 } }
routes: [{ name: all, backends: [{ host: "${upstream.host}" }] }]
`)
  const url = daemon.url('default')
  const admitted = [fetch(url), fetch(url)]
  await all.promise
  const refused = await fetch(url)
  assert.deepEqual([refused.status, await refused.text()], [503, 'overloaded'])
  parked.resolve(undefined)
  for (const answer of await Promise.all(admitted)) assert.equal(await answer.text(), 'at last')
  // The others may end a little after their clients have the replies.
  while ((await sendRequest(url, '/')).status !== 200);
  await daemon.printed(/http\.status=503 .*reason=Overloaded/)
})

test('admission.lag refuses requests with 503 while the event loop is late', async () => {
  const preload = new URL('../support/busy-preload.ts', import.meta.url).href
  await using daemon = await startDaemon(
    `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { admission: { lag: 40ms, lagFor: 150ms } }
routes: [{ name: all, policies: { directResponse: { status: 200 } } }]
`,
    { program: [process.execPath, '--import', preload, daemonProgram] },
  )
  const url = daemon.url('default')
  /** Sends requests until one gets this status. */
  const answered = async (status: number): Promise<Response> => {
    for (;;) {
      const answer = await fetch(url)
      if (answer.status === status) return answer
      await answer.body?.cancel()
    }
  }
  // A busy machine may be late without the test's help.
  await (await answered(200)).body?.cancel()
  daemon.child.kill('SIGUSR2')
  const refused = await answered(503)
  assert.deepEqual([await refused.text(), refused.headers.get('retry-after')], ['overloaded', '1'])
  await daemon.printed(/http\.status=503 .*reason=Overloaded code=overloaded/)
  const metrics = await (await fetch(`${daemon.url('stats')}/metrics`)).text()
  assert.ok(Number(/^agentgateway_event_loop_lag_seconds (\S+)$/m.exec(metrics)?.[1]) > 0.04)
  daemon.child.kill('SIGUSR2')
  await answered(200)
})
