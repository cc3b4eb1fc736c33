import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import {
  createSecureServer,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { RawClient } from '../support/raw-client.ts'
import { until } from '../support/stream-body.ts'
import { httpServer, listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/** The test does not resolve names that end in `.example`: only the proxy does. */
suite('backends behind an HTTP proxy', () => {
  const authority = makeAuthority()
  const stack = new AsyncDisposableStack()
  let proxy: HttpProxy
  let secure: HttpProxy
  let guarded: HttpProxy
  let plain: UpstreamServer
  let tls: UpstreamServer
  let h2: UpstreamServer
  let h2c: UpstreamServer
  let echo: UpstreamServer
  let bodies: UpstreamServer
  let sockets: UpstreamServer
  let model: UpstreamServer
  let daemon: Daemon

  const tell: RequestListener = (req, res) => {
    const { host, authorization, 'proxy-authorization': credential } = req.headers
    res.end(JSON.stringify({ url: req.url, host, authorization, credential }))
  }
  const version = (req: Http2ServerRequest, res: Http2ServerResponse) => {
    res.end(JSON.stringify({ version: req.httpVersion, authority: req.authority }))
  }
  const last = ({ lines }: HttpProxy) => lines.at(-1)
  const tunnel = (port: number, policies = '') =>
    `backendTunnel: { proxy: { host: "127.0.0.1:${port}" }${policies && `, policies: { ${policies} }`} }`

  before(async () => {
    const certificate = authority.issue('up.example')
    proxy = stack.use(await startProxy())
    secure = stack.use(await startProxy(authority.issue('proxy.example')))
    guarded = stack.use(await startProxy())
    guarded.credential = 'Basic dXNlcjpzM2NyM3Q='
    plain = stack.use(await httpServer(tell))
    tls = stack.use(await listening(createHttpsServer(certificate, tell)))
    h2 = stack.use(await listening(createSecureServer(certificate, version)))
    h2c = stack.use(await listening(createHttp2Server(version)))
    bodies = stack.use(await httpServer((req, res) => void req.pipe(res)))
    echo = stack.use(await rawServer((socket) => socket.pipe(socket)))
    sockets = stack.use(
      await listening(
        createHttpServer().on('upgrade', (_, socket) => {
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nhello',
          )
          socket.pipe(socket)
        }),
      ),
    )
    model = stack.use(
      await listening(
        createHttpsServer(certificate, (req, res) => {
          req.resume().on('end', () => {
            res.setHeader('content-type', 'application/json')
            const message = { role: 'assistant', content: 'hi' }
            res.end(
              JSON.stringify({
                id: 'a',
                object: 'chat.completion',
                created: 1,
                model: 'm',
                choices: [{ index: 0, message, finish_reason: 'stop' }],
                usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
              }),
            )
          })
        }),
      ),
    )
    const trust = `backendTLS: { root: ${authority.certFile} }`
    const basic =
      'backendAuth: { key: { value: dXNlcjpzM2NyM3Q=, location: { header: { name: proxy-authorization, prefix: "Basic " } } } }'
    const toSecure = tunnel(
      secure.port,
      `backendTLS: { root: ${authority.certFile}, hostname: proxy.example }`,
    )
    const route = (name: string, host: string, policies: string) =>
      `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], backends: [{ host: "${host}", policies: { ${policies} } }] }`
    daemon = await startDaemon(`${anyPorts}
frontendPolicies: { connect: { mode: route } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
backends:
  - { name: guarded, host: "127.0.0.1:${guarded.port}", policies: { ${basic} } }
routes:
${route('plain', `up.example:${plain.port}`, tunnel(proxy.port))}
${route('numbers', `127.0.0.1:${plain.port}`, tunnel(proxy.port))}
${route('tls', `up.example:${tls.port}`, `${trust}, ${tunnel(proxy.port)}`)}
${route('plain-secure', `up.example:${plain.port}`, toSecure)}
${route('tls-secure', `up.example:${tls.port}`, `${trust}, ${toSecure}`)}
${route('plain-guarded', `up.example:${plain.port}`, tunnel(guarded.port, basic))}
${route('tls-guarded', `up.example:${tls.port}`, `${trust}, backendTunnel: { proxy: { backend: guarded } }`)}
${route('plain-stranger', `up.example:${plain.port}`, tunnel(guarded.port, 'backendAuth: { key: wr0ng-s3cret }'))}
${route('tls-stranger', `up.example:${tls.port}`, `${trust}, ${tunnel(guarded.port, 'backendAuth: { key: wr0ng-s3cret }')}`)}
${route('h2', `up.example:${h2.port}`, `backendTLS: { root: ${authority.certFile}, alpn: [h2] }, ${tunnel(proxy.port)}`)}
${route('h2-secure', `up.example:${h2.port}`, `backendTLS: { root: ${authority.certFile}, alpn: [h2] }, ${toSecure}`)}
${route('h2c', `up.example:${h2c.port}`, `http: { version: "2" }, ${tunnel(proxy.port)}`)}
${route('h2c-secure', `up.example:${h2c.port}`, `http: { version: "2" }, ${toSecure}`)}
${route('body', `up.example:${bodies.port}`, tunnel(proxy.port))}
${route('socket', `up.example:${sockets.port}`, tunnel(proxy.port))}
  - name: connects
    matches: [{ method: CONNECT }]
    backends: [{ host: "up.example:${echo.port}", policies: { ${tunnel(proxy.port)} } }]
  - name: route
    matches: [{ path: { pathPrefix: /route } }]
    policies: { ${tunnel(proxy.port)} }
    backends: [{ host: "up.example:${plain.port}" }]
  - name: asks
    matches: [{ path: { pathPrefix: /asks } }]
    policies:
      extAuthz:
        host: "up.example:${plain.port}"
        protocol: { http: {} }
        policies: { ${tunnel(proxy.port)} }
    backends: [{ host: "127.0.0.1:${plain.port}" }]
  - name: tools
    matches: [{ path: { pathPrefix: /mcp } }]
    backends:
      - mcp:
          targets:
            - { name: a, mcp: { host: "http://up.example:${plain.port}/tools" }, policies: { ${tunnel(proxy.port)} } }
  - name: dynamic
    matches: [{ path: { pathPrefix: /dynamic } }]
    backends:
      - dynamic: { target: '"localhost:${plain.port}"', allow: { hosts: ['*'], privateRanges: [127.0.0.0/8, "::1/128"] } }
        policies: { ${tunnel(proxy.port)} }
tcpRoutes:
  - gateways: raw
    backends: [{ host: "up.example:${echo.port}", policies: { ${tunnel(proxy.port)} } }]
llm:
  gateways: default
  providers:
    - name: one
      provider: openai
      params: { baseUrl: "https://up.example:${model.port}/v1" }
      defaults: { tls: { root: ${authority.certFile} }, ${tunnel(proxy.port)} }
  models:
    - { name: m, provider: { reference: one } }
`)
    stack.use(daemon)
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })

  const get = async (path: string, headers = {}) => {
    const answer = await sendRequest(daemon.url('default'), path, { headers })
    assert.equal(answer.status, 200, `${answer.text}\n${daemon.output()}`)
    return JSON.parse(answer.text) as Record<string, unknown>
  }

  test('over plain HTTP are requested with absolute-form URLs', async () => {
    const host = `up.example:${plain.port}`
    const answer = await get('/plain/a?b=c', { 'proxy-authorization': 'Basic of-the-client' })
    assert.deepEqual(answer, { url: '/plain/a?b=c', host })
    assert.equal(last(proxy), `GET http://${host}/plain/a?b=c`)
    assert.deepEqual(proxy.said.at(-1), { host, credential: undefined })
    await get('/numbers')
    assert.equal(last(proxy), `GET http://127.0.0.1:${plain.port}/numbers`)
  })

  test('over plain HTTP share connections to the proxy, one backend at a time', async () => {
    await get('/plain')
    const before = proxy.opened()
    for (let i = 0; i < 5; i++) await get('/plain')
    assert.equal(proxy.opened(), before)
  })

  test('over TLS are requested with CONNECT', async () => {
    const answer = await get('/tls/a')
    assert.deepEqual(answer, { url: '/tls/a', host: `up.example:${tls.port}` })
    assert.equal(last(proxy), `CONNECT up.example:${tls.port}`)
    assert.equal(proxy.said.at(-1)?.host, `up.example:${tls.port}`)
  })

  test('can be reached through a proxy over TLS', async () => {
    await get('/plain-secure')
    assert.equal(last(secure), `GET http://up.example:${plain.port}/plain-secure`)
    await get('/tls-secure')
    assert.equal(last(secure), `CONNECT up.example:${tls.port}`)
  })

  test('can be reached through a proxy that requires credentials', async () => {
    assert.equal((await get('/plain-guarded')).credential, undefined)
    assert.equal(guarded.said.at(-1)?.credential, guarded.credential)
    await get('/tls-guarded')
    assert.equal(last(guarded), `CONNECT up.example:${tls.port}`)
    assert.equal(guarded.said.at(-1)?.credential, guarded.credential)
  })

  for (const way of ['plain', 'tls'])
    test(`fail if the proxy refuses the credentials: ${way}`, async () => {
      const { status, text, headers } = await sendRequest(daemon.url('default'), `/${way}-stranger`)
      assert.equal(status, 503)
      assert.equal(text, 'upstream call failed: refused by the proxy with 407')
      assert.equal(headers['proxy-authenticate'], undefined)
      assert.equal(guarded.said.at(-1)?.credential, 'Bearer wr0ng-s3cret')
      await daemon.printed(new RegExp(`${way}-stranger.*http.status=503.*refused by the proxy with 407`))
    })

  test('use HTTP/2 behind the proxy, over TLS or not', async () => {
    for (const [name, port, by] of [
      ['h2', h2.port, proxy],
      ['h2-secure', h2.port, secure],
      ['h2c', h2c.port, proxy],
      ['h2c-secure', h2c.port, secure],
    ] as const) {
      assert.deepEqual(await get(`/${name}`), { version: '2.0', authority: `up.example:${port}` })
      assert.equal(last(by), `CONNECT up.example:${port}`)
    }
  })

  test('support WebSocket through a tunnel', async () => {
    using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
    client.send(
      'GET /socket HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    )
    await until(() => client.received.endsWith('hello'))
    assert.match(client.received, /^HTTP\/1\.1 101 /)
    client.send('there')
    await until(() => client.received.endsWith('hellothere'))
    assert.equal(last(proxy), `CONNECT up.example:${sockets.port}`)
  })

  test('of TCP routes are requested with CONNECT', async () => {
    const port = Number(/\braw listens on \S+:(\d+)/.exec(daemon.output())?.[1])
    using client = await RawClient.to(port)
    client.send('hello')
    await until(() => client.received === 'hello')
    assert.equal(last(proxy), `CONNECT up.example:${echo.port}`)
    client.send(' and goodbye')
    client.socket.end()
    await until(() => client.closed)
    assert.equal(client.received, 'hello and goodbye')
  })

  test('receive bodies, trailers and all methods through the proxy', async () => {
    const base = daemon.url('default')
    const body = 'x'.repeat(100_000)
    const sent = await sendRequest(base, '/body', { method: 'POST', body })
    assert.deepEqual([sent.status, sent.text.length], [200, body.length])
    using client = await RawClient.to(Number(new URL(base).port))
    client.send(
      'PUT /body HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n',
    )
    await client.until(/abc/)
    assert.match(client.received, /^HTTP\/1\.1 200 /)
    assert.equal(last(proxy), `PUT http://up.example:${bodies.port}/body`)
  })

  test("can be the destination of a client's CONNECT", async () => {
    using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
    client.send('CONNECT a.example:80 HTTP/1.1\r\nhost: a.example:80\r\n\r\n')
    await client.until('\r\n\r\n')
    assert.match(client.received, /^HTTP\/1\.1 200 /)
    client.send('hello')
    await client.until(/hello/)
    assert.equal(last(proxy), `CONNECT up.example:${echo.port}`)
  })

  test('can belong to routes, MCP servers and callout services', async () => {
    await get('/route')
    assert.equal(last(proxy), `GET http://up.example:${plain.port}/route`)
    await get('/asks')
    assert.equal(last(proxy), `GET http://up.example:${plain.port}/asks`)
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }
    await sendRequest(daemon.url('default'), '/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        ...message,
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
    })
    assert.equal(last(proxy), `POST http://up.example:${plain.port}/tools`)
  })

  test('with a dynamic address are requested by the address that was checked', async () => {
    assert.equal((await get('/dynamic')).host, `localhost:${plain.port}`)
    assert.equal(last(proxy), `CONNECT 127.0.0.1:${plain.port}`)
  })

  test('can be providers of language models', async () => {
    const { status, text } = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }),
    })
    assert.equal(status, 200, text)
    assert.equal(last(proxy), `CONNECT up.example:${model.port}`)
  })

  test('keep proxy credentials out of logs and dumps', async () => {
    const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
    assert.match(text, /backendTunnel/)
    for (const secret of ['wr0ng-s3cret', 'dXNlcjpzM2NyM3Q='])
      assert.ok(!text.includes(secret) && !daemon.output().includes(secret))
  })
})
