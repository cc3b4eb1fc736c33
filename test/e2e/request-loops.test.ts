import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { connect } from 'node:http2'
import { once } from 'node:events'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { sendRequest } from '../support/send-request.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

/** Repeated fields of one name as they were received. */
const fieldsNamed = (rawHeaders: readonly string[], name: string): readonly string[] =>
  rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)

suite('requests that return to the gateway', () => {
  let daemon: Daemon
  /** Sends requests back to the gateway by their path, or responds. Stands for a load balancer in front of it. */
  let upstream: Upstream
  /** CDN-Loop of the requests that it got, by path. */
  const received = new Map<string, string[][]>()

  before(async () => {
    upstream = await startUpstream((req, res) => {
      const path = req.url ?? ''
      const list = received.get(path) ?? []
      received.set(path, [...list, [...fieldsNamed(req.rawHeaders, 'cdn-loop')]])
      if (!path.startsWith('/loop')) {
        req.resume()
        res.end('ok')
        return
      }
      const { port } = new URL(daemon.url('default'))
      const again = request(
        { host: '127.0.0.1', port, path, method: req.method ?? 'GET', headers: req.rawHeaders, agent: false },
        (reply) => {
          res.writeHead(reply.statusCode ?? 0, reply.headers)
          reply.pipe(res)
        },
      )
      again.on('error', () => res.destroy())
      req.pipe(again)
    })
    const backend = `backends: [{ host: "${upstream.host}" }]`
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  short: { port: 0, address: 127.0.0.1 }
  unlimited: { port: 0, address: 127.0.0.1 }
frontendPolicies: { http: { http1HeaderCase: preserve } }
policies:
  - name: { name: short }
    target: { gateway: { gatewayName: short } }
    policy: { frontend: { http: { maxHops: 1 } } }
  - name: { name: unlimited }
    target: { gateway: { gatewayName: unlimited } }
    policy: { frontend: { http: { maxHops: 0 } } }
routes:
  - { matches: [{ path: { pathPrefix: /loop/plain } }], ${backend} }
  - matches: [{ path: { pathPrefix: /loop/removed } }]
    policies: { requestHeaderModifier: { remove: [cdn-loop] } }
    ${backend}
  - matches: [{ path: { pathPrefix: /loop/set } }]
    policies: { transformations: { request: { set: { CDN-Loop: "'none'", cdn_loop: "'none'" } } } }
    ${backend}
  - matches: [{ path: { pathPrefix: /loop/multiplied } }]
    policies:
      retry: { attempts: 2, codes: [508] }
      requestMirror: { backend: { host: "${upstream.host}" } }
    ${backend}
  - matches: [{ path: { pathPrefix: /asks } }]
    policies: { extAuthz: { host: "${upstream.host}", protocol: { http: { path: "'/authz'" } }, includeRequestHeaders: [cdn-loop] } }
    ${backend}
  - matches: [{ path: { pathPrefix: /mirrored } }]
    policies:
      requestMirror: { backend: { host: "${upstream.host}" } }
    ${backend}
  - matches: [{ path: { pathPrefix: /loop/mcp } }]
    backends: [{ mcp: { targets: [{ name: self, mcp: { host: "http://${upstream.host}/loop/mcp" } }] } }]
  - gateways: [default, short, unlimited]
    ${backend}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const loopFields = async (
    path: string,
    headers: Record<string, string | string[]> = {},
    gateway = 'default',
  ) => {
    received.delete(path)
    const reply = await sendRequest(daemon.url(gateway), path, { headers })
    return { status: reply.status, text: reply.text, fields: received.get(path) ?? [] }
  }
  const gateways = (count: number) => Array<string>(count).fill('agentgateway').join(', ')

  for (const path of ['/loop/plain', '/loop/removed', '/loop/set'])
    test(`end after five gateways: ${path}`, async () => {
      const { status, text, fields } = await loopFields(path)
      assert.deepEqual({ status, text }, { status: 508, text: 'request loop detected' })
      assert.deepEqual(
        fields,
        Array.from({ length: 5 }, (_, i) => [gateways(i + 1)]),
      )
    })

  test('end with a body, and over HTTP/2', async () => {
    const posted = await sendRequest(daemon.url('default'), '/loop/plain', {
      method: 'POST',
      body: 'a'.repeat(100_000),
    })
    assert.equal(posted.status, 508)
    const client = connect(daemon.url('default'))
    const stream = client.request({ ':path': '/loop/plain' })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    stream.resume()
    await once(stream, 'close')
    client.close()
    assert.equal(headers[':status'], 508)
  })

  test('do not multiply by retries and mirrors', async () => {
    const { status, fields } = await loopFields('/loop/multiplied')
    assert.equal(status, 508)
    // Each of the first two gateways sends a request three times, with a copy: the others once.
    const counts = [1, 2, 3, 4, 5].map((hops) => fields.filter(([field]) => field === gateways(hops)).length)
    assert.ok(
      counts.every((count) => count <= 4 * 4),
      `requests by hops: ${counts.join(' ')}`,
    )
  })

  test('end between MCP servers', async () => {
    const { status, text } = await sendRequest(daemon.url('default'), '/loop/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
    })
    assert.equal(status, 200)
    assert.match(text, /target self answered with status 508/)
    // Servers get several requests for one: they are asked for newer revisions first.
    const all = (received.get('/loop/mcp') ?? []).map(([field = '']) => field.split(',').length)
    assert.deepEqual([Math.min(...all), Math.max(...all)], [1, 5])
    assert.ok(all.length < 32, `${all.length} requests`)
  })

  test('are named in the log', async () => {
    const [line] = await daemon.printed(/.*request_loop.*/)
    assert.match(line, /508.*InvalidRequest|InvalidRequest.*508/)
  })

  test('are recognised however the field is written', async () => {
    const many = (one: string, count: number) => Array<string>(count).fill(one)
    for (const list of [
      many('agentgateway', 5).join(','),
      many('AgentGateway;v=1', 5).join(' , '),
      many('agentgateway', 5),
      [many('other, agentgateway', 2).join(', '), many('agentgateway', 3).join(',')],
    ])
      assert.equal((await loopFields('/', { 'cdn-loop': list })).status, 508)
    const { status } = await loopFields('/', { 'cdn-loop': many('agentgateway', 4).join(',') })
    assert.equal(status, 200)
  })

  test('are told from those of other networks, whose entries are kept', async () => {
    const others = 'cloudflare; loops=1, fastly, agentgateway.example, myagentgateway'
    const { status, fields } = await loopFields('/', { 'cdn-loop': others })
    assert.deepEqual({ status, fields }, { status: 200, fields: [[`${others}, agentgateway`]] })
  })

  test('cannot hide behind a Connection option', async () => {
    const { status, fields } = await loopFields('/', { 'cdn-loop': gateways(5), connection: 'cdn-loop' })
    assert.deepEqual({ status, fields }, { status: 400, fields: [] })
  })

  test('are counted in callouts and mirrored requests', async () => {
    received.delete('/authz')
    assert.equal((await loopFields('/asks', { 'cdn-loop': 'agentgateway' })).status, 200)
    assert.deepEqual(received.get('/authz'), [[gateways(2)]])
    await loopFields('/mirrored', { 'cdn-loop': 'fastly' })
    while ((received.get('/mirrored')?.length ?? 0) < 2) await new Promise(setImmediate)
    assert.deepEqual(received.get('/mirrored'), [['fastly, agentgateway'], ['fastly, agentgateway']])
  })

  test('have a limit of their own at a gateway, or none', async () => {
    assert.equal((await loopFields('/', { 'cdn-loop': 'agentgateway' }, 'short')).status, 508)
    assert.equal((await loopFields('/', {}, 'short')).status, 200)
    const { status, fields } = await loopFields('/', { 'cdn-loop': gateways(50) }, 'unlimited')
    assert.deepEqual({ status, fields }, { status: 200, fields: [[gateways(50)]] })
    assert.deepEqual((await loopFields('/', {}, 'unlimited')).fields, [[]])
  })
})
