import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { RawClient, statusesIn } from '../support/raw-client.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

interface Heard {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Routes by the first segment of the path; `more` are fields of `http`. */
const route = (name: string, at: string, host: string, http: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { extAuthz: { host: "${at}", protocol: { http: { ${http} } }${more} } }
    backends: [{ host: "${host}" }]`

const configuration = (host: string, at: string): string => `${anyPorts}
frontendPolicies: { connect: { mode: route } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
${route('plain', at, host, '')}
${route('asks', at, host, `path: "'/check?for=' + request.path", addRequestHeaders: { x-method: request.method, x-none: "request.headers['none']" }, body: "{'who': 'me'}"`, ', includeRequestHeaders: [x-a, Host]')}
${route('headed', at, host, `addRequestHeaders: { ":method": "'PATCH'", ":path": "'/of/' + request.headers['x-tenant'] + request.path", ":authority": "'authz.example:81'", ":scheme": "'https'", x-b: "'1'" }`, ', includeRequestHeaders: [":method", ":path", x-a]')}
${route('named', at, host, '', ', includeRequestHeaders: [":authority", ":path"]')}
${route('copies', at, host, `includeResponseHeaders: [X-User, x-groups], metadata: { plan: "response.headers['x-plan']", size: "size(response.body)" }`)}
${route('login', at, host, `redirect: "'https://login.example/?to=' + request.path"`)}
${route('body', at, host, '', ', includeRequestBody: { maxRequestBytes: 5, allowPartialMessage: true }')}
${route('cached', at, host, '', `, cache: { key: ["request.headers['authorization']"], ttl: "duration('60s')" }`)}
${route('until', at, host, '', `, cache: { key: ["request.path"], ttl: "request.startTime" }`)}
${route('odd', at, host, `path: "'no slash'"`)}
${route('lacking', at, host, `path: "'/of/' + request.headers['x-tenant']"`, ', failureMode: allow')}
${route('broken', at, host, '', ', failureMode: allow, includeRequestBody: { maxRequestBytes: 50 }')}
  - name: keyed
    matches: [{ path: { pathPrefix: /keyed } }]
    policies:
      apiKey: { mode: strict, keys: [{ key: key-of-ann }, { key: key-of-eve }] }
      extAuthz: { host: "${at}", protocol: { http: { addRequestHeaders: { x-key: apiKey.key.unredacted() } } }, cache: { key: [apiKey.key], ttl: "duration('60s')" } }
    backends: [{ host: "${host}" }]
  - name: told
    matches: [{ path: { pathPrefix: /told } }]
    policies:
      extAuthz: { host: "${at}", protocol: { http: { metadata: { plan: "response.headers['x-plan']" } } } }
      authorization: { rules: ["extauthz.plan == 'gold'"] }
    backends: [{ host: "${host}" }]
  - name: chosen
    matches: [{ path: { pathPrefix: /chosen } }]
    policies: { extAuthz: { conditional: [{ condition: "request.headers['x-tenant'] != 'trusted'", host: "${at}", protocol: { http: {} } }] } }
    backends: [{ host: "${host}" }]
  - name: costly
    matches: [{ path: { pathPrefix: /costly } }]
    policies: { extAuthz: { conditional: [{ condition: "json(request.body).all(one, json(request.body).exists(other, other == one))", host: "${at}", protocol: { http: {} } }] } }
    backends: [{ host: "${host}" }]
  - name: tunnels
    hostnames: [tunnel.example]
    policies: { extAuthz: { host: "${at}", failureMode: allow, protocol: { http: {} } } }
    backends: [{ host: "${host}" }]
`

suite('an extAuthz HTTP service', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let server: UpstreamServer
  let decide: (heard: Heard, res: ServerResponse) => void
  const heard: Heard[] = []
  before(async () => {
    upstream = await startEcho('upstream')
    server = await httpServer((req, res) => {
      text(req).then(
        (body) => {
          const { method = '', url = '', headers } = req
          const one = { method, target: url, headers, body }
          heard.push(one)
          decide(one, res)
        },
        () => res.destroy(),
      )
    })
    daemon = await startDaemon(configuration(upstream.host, `127.0.0.1:${server.port}`))
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await daemon.stop('SIGKILL')
  })
  beforeEach(() => {
    heard.length = 0
    upstream.asked.length = 0
    decide = (_, res) => res.end()
  })

  const get = (target: string, asked: RequestParts = {}) =>
    sendRequest(daemon.url('default'), target, {
      ...asked,
      headers: { host: 'shop.example', ...asked.headers },
    })

  test('gets method, path and Authorization, and nothing else', async () => {
    const headers = { authorization: 'Bearer x', cookie: 'a=1', 'x-a': '1' }
    assert.equal((await get('/plain/x?q=1', { method: 'PUT', headers, body: 'secret' })).status, 200)
    const [{ method, target, headers: sent, body } = assert.fail()] = heard
    assert.deepEqual([method, target, body], ['PUT', '/plain/x?q=1', ''])
    assert.deepEqual(Object.keys(sent).sort(), [
      'authorization',
      'cdn-loop',
      'connection',
      'content-length',
      'host',
    ])
    assert.equal(sent.host, `127.0.0.1:${server.port}`)
  })

  test('gets the configured headers', async () => {
    await get('/asks/x', { method: 'DELETE', headers: { 'x-a': ['1', '2'], 'x-method': 'forged' } })
    const [{ method, target, headers, body } = assert.fail()] = heard
    assert.deepEqual([method, target, body], ['DELETE', '/check?for=/asks/x', '{"who":"me"}'])
    assert.deepEqual(
      [headers['x-a'], headers['x-method'], headers['x-none'], headers.host],
      ['1, 2', 'DELETE', undefined, 'shop.example'],
    )
  })

  test('gets the method, path and host set by pseudo-headers', async () => {
    await get('/headed/x?q=1', { headers: { 'x-tenant': 't', 'x-a': '2' } })
    await get('/named/x?q=1', { method: 'PUT' })
    assert.deepEqual(
      heard.map(({ method, target, headers }) => [
        method,
        target,
        headers.host,
        headers['x-a'],
        headers['x-b'],
      ]),
      [
        ['PATCH', '/of/t/headed/x', 'authz.example:81', '2', '1'],
        ['PUT', '/named/x?q=1', 'shop.example', undefined, undefined],
      ],
    )
    assert.deepEqual(
      Object.keys(heard[0]?.headers ?? {}).filter((name) => name.startsWith(':')),
      [],
    )
  })

  test('is not called, and the request refused, if such an expression fails or gives no path', async () => {
    for (const headers of [{}, { 'x-tenant': 'a b' }, { 'x-tenant': 'a\u00e9' }] as const)
      assert.equal((await get('/headed/x', { headers })).status, 403)
    assert.equal(heard.length, 0)
    assert.equal(upstream.asked.length, 0)
  })

  test('gets the beginning of a body if configured', async () => {
    assert.equal(echoed(await get('/body', { method: 'POST', body: 'longer' })).body, 'longer')
    await get('/body', { method: 'POST', body: 'short', headers: { 'x-envoy-auth-partial-body': 'forged' } })
    assert.deepEqual(
      heard.map(({ body, headers }) => [body, headers['x-envoy-auth-partial-body']]),
      [
        ['longe', 'true'],
        ['short', 'false'],
      ],
    )
  })

  test('sets headers that clients cannot set', async () => {
    decide = (_, res) => res.writeHead(200, { 'x-user': 'ann', 'x-other': 'no' }).end()
    const headers = { 'x-user': ['eve', 'root'], 'x-groups': 'admins', 'x-other': 'mine' }
    const sent = echoed(await get('/copies', { headers })).headers
    assert.deepEqual([sent['x-user'], sent['x-groups'], sent['x-other']], ['ann', undefined, 'mine'])
  })

  test('is the only source of these headers, in every spelling of their names', async () => {
    decide = (_, res) => res.writeHead(200, { 'x-user': 'ann' }).end()
    const forged = { 'X-USER': 'eve', X_User: 'eve', 'x-groups': 'root', x_groups: 'root', x_other: '1' }
    const { headers } = echoed(await get('/copies', { headers: forged }))
    assert.deepEqual(
      ['x-user', 'x_user', 'x-groups', 'x_groups', 'x_other'].map((name) => headers[name]),
      ['ann', undefined, undefined, undefined, '1'],
    )
  })

  test('is called for tunnels, too', async () => {
    decide = (_, res) => res.writeHead(403).end('no tunnels')
    const asked = async () => {
      using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
      client.send('CONNECT tunnel.example:443 HTTP/1.1\r\nhost: tunnel.example:443\r\n\r\n')
      return await client.until('no tunnels')
    }
    assert.deepEqual(statusesIn(await asked()), [403])
    assert.deepEqual([heard[0]?.method, heard[0]?.target], ['GET', '/'])
  })

  test('returns metadata that rules read', async () => {
    decide = (_, res) => res.writeHead(200, { 'x-plan': 'gold' }).end()
    assert.equal((await get('/told')).status, 200)
    decide = (_, res) => res.end()
    assert.equal((await get('/told')).status, 403)
  })

  test('refuses with its own reply', async () => {
    decide = (_, res) =>
      res.writeHead(418, { 'content-type': 'text/html', 'set-cookie': ['a=1', 'b=2'] }).end('<p>no</p>')
    const { status, headers, text: body } = await get('/plain')
    assert.deepEqual(
      [status, headers['content-type'], headers['set-cookie'], headers['content-length'], body],
      [418, 'text/html', ['a=1', 'b=2'], '9', '<p>no</p>'],
    )
    assert.equal(upstream.asked.length, 0)
  })

  test('can redirect refused clients to a login page', async () => {
    for (const code of [401, 403]) {
      decide = (_, res) => res.writeHead(code).end('no')
      const { status, headers } = await get('/login/a')
      assert.deepEqual([status, headers.location], [302, 'https://login.example/?to=/login/a'])
    }
    decide = (_, res) => res.writeHead(404).end('no')
    assert.equal((await get('/login/a')).status, 404)
  })

  test('that breaks off, or cannot be called, refuses', async () => {
    decide = (_, res) => res.destroy()
    const broken = await get('/plain')
    assert.deepEqual([broken.status, broken.text], [403, 'external authorization failed'])
    heard.length = 0
    assert.equal((await get('/odd')).status, 403)
    assert.equal(heard.length, 0)
  })

  test('cannot be bypassed by a request that its expressions fail on', async () => {
    assert.equal((await get('/lacking', { headers: { 'x-tenant': 'a' } })).status, 200)
    assert.deepEqual([(await get('/lacking')).status, heard.length], [403, 1])
    decide = (_, res) => res.destroy()
    assert.equal(
      (await get('/lacking', { headers: { 'x-tenant': 'a' } })).status,
      200,
      'allowed when it is away',
    )
  })

  test('cannot be bypassed by making its condition fail', async () => {
    const from = async (...tenants: string[]) =>
      (await get('/chosen', { headers: { 'x-tenant': tenants } })).status
    assert.deepEqual([await from('other'), heard.length], [200, 1])
    assert.deepEqual([await from('trusted'), heard.length], [200, 1])
    assert.deepEqual([await from('trusted', 'other'), heard.length], [400, 1])
    const long = { method: 'POST', body: JSON.stringify(Array.from({ length: 100_000 }, () => 1)) }
    const costly = await get('/costly', long)
    assert.deepEqual([costly.status, heard.length], [400, 1])
  })

  test('cannot be bypassed by a broken body', async () => {
    using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
    client.send('POST /broken HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n')
    client.send('no chunk\r\n')
    assert.deepEqual(statusesIn(await client.end()), [400])
    assert.deepEqual([heard.length, upstream.asked.length], [0, 0])
  })

  test('refuses gRPC clients with a gRPC status', async () => {
    decide = (_, res) =>
      res.writeHead(403, { 'content-type': 'text/html', 'x-why': 'rights' }).end('no rights')
    const {
      status,
      headers,
      text: body,
    } = await get('/plain', {
      method: 'POST',
      headers: { 'content-type': 'application/grpc' },
    })
    assert.deepEqual(
      [
        status,
        headers['content-type'],
        headers['grpc-status'],
        headers['grpc-message'],
        headers['x-why'],
        body,
      ],
      [200, 'application/grpc', '7', 'no rights', 'rights', ''],
    )
  })

  test('decides for each caller if decisions are cached by key', async () => {
    decide = ({ headers }, res) => res.writeHead(headers['x-key'] === 'key-of-ann' ? 200 : 403).end()
    const by = async (key: string) =>
      (await get('/keyed', { headers: { authorization: `Bearer ${key}` } })).status
    assert.deepEqual([await by('key-of-ann'), await by('key-of-eve')], [200, 403])
    assert.deepEqual([await by('key-of-eve'), await by('key-of-ann')], [403, 200])
    assert.equal(heard.length, 2)
  })

  test('is called again after an error, but not after a refusal', async () => {
    const headers = { authorization: 'one' }
    decide = (_, res) => res.writeHead(500).end()
    assert.deepEqual([(await get('/cached', { headers })).status, heard.length], [500, 1])
    decide = (_, res) => res.writeHead(401).end()
    assert.deepEqual([(await get('/cached', { headers })).status, heard.length], [401, 2])
    assert.deepEqual([(await get('/cached', { headers })).status, heard.length], [401, 2])
  })

  test('is called again when a cached decision expires', async () => {
    await get('/until')
    await get('/until')
    assert.equal(heard.length, 2)
  })
})
