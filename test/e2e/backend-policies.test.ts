import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { policies } from '../../src/config/policies.ts'
import { policiesOf } from '../../src/config/policies.ts'
import { AuthorizationError_Code as Code, ExtMcp } from '../../src/protocols/grpc/ext-mcp.gen.ts'
import { type ReceivedResponse, sendRequest, type RequestParts } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type GrpcServer, grpcServer, unary } from '../support/grpc-server.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { picking } from '../support/endpoint-picker.ts'
import { type Processor, startProcessor } from '../support/processor.ts'
import { RawMcp } from '../support/mcp/raw-mcp.ts'
import { startToy, type ToyServer } from '../support/mcp/toy-server.ts'
import { keepaliveTimers, knowsTimers } from '../support/tcp-timers.ts'
import { signer } from '../support/tokens.ts'
import { httpServer, listening, type UpstreamServer } from '../support/upstream-servers.ts'

type Rows = typeof policies
type BackendPolicy = { [K in keyof Rows]: 'backend' extends keyof Rows[K] ? K : never }[keyof Rows]

/** The servers behind the gateway. */
interface Servers {
  readonly echo: EchoUpstream
  readonly other: EchoUpstream
  readonly mirrored: EchoUpstream
  readonly failing: EchoUpstream
  readonly plain: UpstreamServer
  readonly tls: UpstreamServer
  readonly slow: UpstreamServer
  readonly refusing: UpstreamServer
  readonly agent: UpstreamServer
  readonly proxy: HttpProxy
  readonly toy: ToyServer
  readonly guard: GrpcServer
  readonly picker: Processor
}

/** What a test has of one backend. */
interface Client {
  readonly send: (target?: string, asked?: RequestParts) => Promise<ReceivedResponse>
  readonly mcp: () => RawMcp
}

interface Case {
  /** The backend without its policies; the echo by default. */
  readonly backend?: (servers: Servers) => object
  readonly policy: (servers: Servers) => unknown
  readonly check: (client: Client, servers: Servers) => Promise<void>
}

const pair = () => ({ service: { name: 'shop/pair.svc', port: 80 } })
const toolServer = ({ toy }: Servers) => ({ mcp: { targets: [{ name: 'toy', mcp: { host: toy.url } }] } })
const keyed = (key: string): RequestParts => ({ headers: { 'x-key': key } })

/** Requests of one key reach one endpoint, and those of several keys reach both. */
const goesByKey = async ({ send }: Client) => {
  const reached = async () => {
    const names: string[] = []
    for (let i = 0; i < 32; i++) names.push(echoed(await send('/', keyed(`key-${String(i)}`))).name)
    return names
  }
  const first = await reached()
  assert.deepEqual(new Set(first), new Set(['echo', 'other']))
  assert.deepEqual(await reached(), first)
  // An odd number of requests in between: endpoints that take turns would swap keys.
  await send('/', keyed('key-0'))
  assert.deepEqual(await reached(), first)
}

/** A policy on a backend, and what the upstream or the client sees of it. */
const cases: Readonly<Record<BackendPolicy, Case>> = {
  requestHeaderModifier: {
    policy: () => ({ set: { 'x-added': 'yes' } }),
    check: async ({ send }) => assert.equal(echoed(await send()).headers['x-added'], 'yes'),
  },
  responseHeaderModifier: {
    policy: () => ({ set: { 'x-added': 'yes' } }),
    check: async ({ send }) => assert.equal((await send()).headers['x-added'], 'yes'),
  },
  requestRedirect: {
    policy: () => ({ authority: { full: 'other.example' }, status: 308 }),
    check: async ({ send }) => {
      const { status, headers } = await send('/there')
      assert.deepEqual([status, headers.location], [308, 'http://other.example/there'])
    },
  },
  requestMirror: {
    policy: ({ mirrored }) => ({ backend: { host: mirrored.host } }),
    check: async ({ send }, { mirrored }) => {
      const before = mirrored.asked.length
      assert.equal(echoed(await send()).name, 'echo')
      while (mirrored.asked.length === before) await new Promise(setImmediate)
    },
  },
  transformations: {
    policy: () => ({
      request: { set: { 'x-method': 'request.method' } },
      response: { set: { 'x-code': 'string(response.code)' } },
    }),
    check: async ({ send }) => {
      const answer = await send()
      assert.deepEqual([echoed(answer).headers['x-method'], answer.headers['x-code']], ['GET', '200'])
    },
  },
  backendTLS: {
    backend: ({ tls }) => ({ host: `127.0.0.1:${tls.port}` }),
    policy: () => ({ insecure: true }),
    check: async ({ send }) => assert.equal((await send()).text, 'over TLS'),
  },
  backendAuth: {
    policy: () => ({ key: 'of-the-gateway' }),
    check: async ({ send }) =>
      assert.equal(echoed(await send()).headers.authorization, 'Bearer of-the-gateway'),
  },
  backendTunnel: {
    policy: ({ proxy }) => ({ proxy: { host: `127.0.0.1:${proxy.port}` } }),
    check: async ({ send }, { echo, proxy }) => {
      const before = proxy.lines.length
      assert.equal(echoed(await send()).name, 'echo')
      assert.equal(proxy.lines.length, before + 1)
      assert.ok(proxy.lines.at(-1)?.includes(echo.host), proxy.lines.at(-1))
    },
  },
  http: {
    backend: ({ slow }) => ({ host: `127.0.0.1:${slow.port}` }),
    policy: () => ({ requestTimeout: '50ms' }),
    check: async ({ send }) => assert.equal((await send()).status, 504),
  },
  tcp: {
    backend: ({ plain }) => ({ host: `127.0.0.1:${plain.port}` }),
    policy: () => ({ keepalives: { time: '20m' } }),
    check: async ({ send }, { plain }) => {
      assert.equal((await send()).status, 200)
      if (!knowsTimers) return
      const timers = keepaliveTimers(plain.port)
      assert.ok(timers.length > 0)
      for (const timer of timers) assert.ok(timer !== undefined && timer > 1_000_000, String(timer))
    },
  },
  health: {
    backend: () => ({ service: { name: 'shop/half.svc', port: 80 } }),
    policy: () => ({
      unhealthyExpression: 'response.code == 404',
      eviction: { consecutiveFailures: 1, duration: '1h' },
    }),
    check: async ({ send }, { failing }) => {
      const before = failing.asked.length
      while (failing.asked.length === before) await send()
      for (let i = 0; i < 8; i++) await send()
      assert.equal(failing.asked.length, before + 1)
    },
  },
  loadBalancing: {
    backend: pair,
    policy: () => ({ ringHash: { key: 'request.headers["x-key"]' } }),
    check: goesByKey,
  },
  sessionAffinity: {
    backend: pair,
    policy: () => ({ source: 'request.headers["x-key"]' }),
    check: goesByKey,
  },
  authorization: {
    policy: () => ({ rules: ['request.method == "GET"'] }),
    check: async ({ send }) => {
      assert.equal((await send()).status, 200)
      assert.equal((await send('/', { method: 'POST' })).status, 403)
    },
  },
  extAuthz: {
    policy: ({ refusing }) => ({ host: `127.0.0.1:${refusing.port}`, protocol: { http: {} } }),
    check: async ({ send }) => {
      const { status, text } = await send()
      assert.deepEqual([status, text], [403, 'not you'])
    },
  },
  a2a: {
    backend: ({ agent }) => ({ host: `127.0.0.1:${agent.port}` }),
    policy: () => ({}),
    check: async ({ send }) => {
      const { text } = await send('/.well-known/agent-card.json', { headers: { host: 'public.example' } })
      const { url } = JSON.parse(text) as { url: string }
      assert.equal(new URL(url).host, 'public.example')
    },
  },
  mcpAuthentication: {
    backend: toolServer,
    policy: () => ({
      issuer: 'https://issuer.example',
      audiences: ['tools'],
      jwks: { keys: [signer('one').jwk] },
      resourceMetadata: {},
    }),
    check: async ({ send }, { toy }) => {
      const begun = () => toy.requestsOf('initialize').length
      const before = begun()
      const { status, headers } = await send('/mcp', { method: 'POST' })
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /resource_metadata=/)
      assert.equal(begun(), before)
    },
  },
  mcpAuthorization: {
    backend: toolServer,
    policy: () => ({ rules: ['mcp.tool.name == "echo"'] }),
    check: async ({ mcp }) => {
      const client = mcp()
      await client.open()
      const { messages } = await client.legacy('tools/list')
      const { result } = messages.at(-1) as { result: { tools: { name: string }[] } }
      assert.deepEqual(
        result.tools.map(({ name }) => name),
        ['echo'],
      )
    },
  },
  mcpGuardrails: {
    backend: toolServer,
    policy: ({ guard }) => ({
      processors: [{ kind: 'remote', host: guard.host, methods: { 'tools/*': 'request' } }],
    }),
    check: async ({ mcp }) => {
      const client = mcp()
      await client.open()
      const { messages } = await client.legacy('tools/call', { name: 'echo', arguments: {} })
      assert.match(JSON.stringify(messages.at(-1)), /not this tool/)
    },
  },
  inferenceRouting: {
    backend: ({ echo }) => ({ host: echo.host }),
    policy: ({ picker }) => ({ endpointPicker: { host: picker.host } }),
    check: async ({ send }, { echo, picker }) => {
      picker.onStream = picking(() => echo.host)
      assert.equal(echoed(await send()).name, 'echo')
      picker.onStream = picking(() => '127.0.0.1:1')
      assert.equal((await send()).status, 503)
    },
  },
  ai: {
    backend: ({ echo }) => ({
      ai: { name: 'model', hostOverride: echo.host, provider: { openAI: { model: 'm' } } },
    }),
    policy: () => ({ overrides: { seed: 7 } }),
    check: async ({ send }, { echo }) => {
      await send('/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
      })
      const body = echo.asked.at(-1)?.body ?? '{}'
      assert.equal((JSON.parse(body) as { seed?: number }).seed, 7)
    },
  },
}

const table = Object.entries(cases)
const isService = (backend: object) => 'service' in backend

/** Each policy on a backend of a route, and on one that a route refers to by name; services have no names. */
const configuration = (servers: Servers): string => {
  const { echo, other, failing } = servers
  const written = table.map(([policy, { backend = () => ({ host: echo.host }), policy: value }]) => ({
    policy,
    fields: backend(servers),
    policies: { [policy]: value(servers) },
  }))
  const route = (name: string, backend: object) => ({
    name,
    matches: [{ headers: [{ name: 'x-backend', value: { exact: name } }] }],
    backends: [backend],
  })
  const named = written.filter(({ fields }) => !isService(fields))
  const endpoint = (uid: string, service: string, port: number) => ({
    uid,
    workloadIps: ['127.0.0.1'],
    services: { [`shop/${service}`]: { 80: port } },
  })
  const sections = {
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    backends: named.map(({ policy, fields, policies }) => ({ name: policy, ...fields, policies })),
    services: ['pair.svc', 'half.svc'].map((hostname) => ({
      name: hostname,
      namespace: 'shop',
      hostname,
      ports: { 80: 8080 },
    })),
    workloads: [
      endpoint('w1', 'pair.svc', echo.port),
      endpoint('w2', 'pair.svc', other.port),
      endpoint('w3', 'half.svc', echo.port),
      endpoint('w4', 'half.svc', failing.port),
    ],
    routes: [
      ...written.map(({ policy, fields, policies }) => route(`inline-${policy}`, { ...fields, policies })),
      ...named.map(({ policy }) => route(`named-${policy}`, { backend: policy })),
    ],
  }
  const lines = Object.entries(sections).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
  return anyPorts + lines.join('')
}

/** A client of one backend of the configuration. */
const clientOf = (daemon: Daemon, backend: string): Client => {
  const field = { 'x-backend': backend }
  return {
    send: (target = '/', asked = {}) =>
      sendRequest(daemon.url('default'), target, { ...asked, headers: { ...asked.headers, ...field } }),
    mcp: () => new RawMcp(`${daemon.url('default')}/mcp`, field),
  }
}

suite('policies of a backend', () => {
  let servers: Servers
  let daemon: Daemon
  const open: AsyncDisposable[] = []
  const opened = async <T extends AsyncDisposable>(starting: Promise<T>): Promise<T> => {
    const server = await starting
    open.push(server)
    return server
  }

  before(async () => {
    using authority = makeAuthority()
    const certificate = authority.issue('up.example')
    const refusal = {
      result: { case: 'error', value: { code: Code.PERMISSION_DENIED, reason: 'not this tool' } },
    } as const
    servers = {
      echo: await opened(startEcho('echo')),
      other: await opened(startEcho('other')),
      mirrored: await opened(startEcho('mirrored')),
      failing: await opened(startEcho('failing')),
      plain: await opened(httpServer((_, res) => res.end('ok'))),
      tls: await opened(listening(createTlsServer(certificate, (_, res) => res.end('over TLS')))),
      slow: await opened(
        httpServer((_, res) => void setTimeout(10_000, null, { ref: false }).then(() => res.end())),
      ),
      refusing: await opened(httpServer((_, res) => res.writeHead(403).end('not you'))),
      agent: await opened(
        httpServer((_, res) => {
          res.writeHead(200, { 'content-type': 'application/json' })
          res.end(JSON.stringify({ name: 'Ann', url: 'http://agent.inside/' }))
        }),
      ),
      proxy: await opened(startProxy()),
      toy: await opened(startToy({ tools: ['echo', 'drop'] })),
      picker: await opened(startProcessor()),
      guard: await opened(grpcServer([unary(ExtMcp.method.checkRequest, () => refusal)])),
    }
    servers.failing.status = 404
    daemon = await startDaemon(configuration(servers))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of open) await server[Symbol.asyncDispose]()
  })

  for (const [policy, { backend, check }] of table) {
    test(`${policy} acts on a backend of a route`, () => check(clientOf(daemon, `inline-${policy}`), servers))
    if (backend !== pair && policy !== 'health')
      test(`${policy} acts on a named backend`, () => check(clientOf(daemon, `named-${policy}`), servers))
  }

  test('are all tested', () => {
    assert.deepEqual(
      Object.keys(cases).sort(),
      policiesOf('backend', 'documented')
        .map(([name]) => name)
        .sort(),
    )
  })
})
