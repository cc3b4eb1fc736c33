import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { after, before, beforeEach, suite, test } from 'node:test'
import { Authorization } from '../../src/protocols/grpc/ext-authz.gen.ts'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type GrpcServer, grpcServer, unary } from '../support/grpc-server.ts'
import { respondingTo, asItIs, type Processor, startProcessor } from '../support/processor.ts'
import { keySetOf, secondsFromNow, signer } from '../support/tokens.ts'
import { httpServer, type UpstreamServer } from '../support/upstream-servers.ts'

type Fields = Readonly<Record<string, string>>

interface Case {
  readonly policies: (places: Places) => object
  readonly backendPolicies?: object
  /** What the client sends; by default, `x-user` in other spellings. */
  readonly sent?: Fields
  /** What the upstream receives of it, apart from the fields common to all. */
  readonly got: Fields
}

/** Fields about its address that every client forges. */
const forged = { X_Forwarded_For: '10.9.9.9', 'x-forwarded_host': 'evil.example', X_Forwarded_Proto: 'https' }

interface Places {
  readonly decider: string
  readonly grpcDecider: string
  readonly processor: string
  readonly shadow: string
}

const idp = signer('k1')
const token = idp.token({ iss: 'https://idp.test', aud: 'api', sub: 'ann', exp: secondsFromNow(3000) })
const jwtAuth = { mode: 'strict', issuer: 'https://idp.test', audiences: ['api'], jwks: keySetOf(idp) }
const set = (fields: Fields): object => ({ requestHeaderModifier: { set: fields } })
const transformed = (request: object): object => ({ transformations: { request } })

const cases: Readonly<Record<string, Case>> = {
  set: { policies: () => set({ 'X-User': 'ann' }), got: { 'x-user': 'ann' } },
  add: {
    policies: () => ({ requestHeaderModifier: { add: { 'x-user': 'ann' } } }),
    got: { 'x-user': 'ann' },
  },
  remove: { policies: () => ({ requestHeaderModifier: { remove: ['x-user'] } }), got: {} },
  'mixed-spelling': {
    policies: () => set({ 'x-user-id': 'ann' }),
    sent: { X_User_ID: 'admin', 'x-user_id': 'admin', 'X_User-Id': 'admin', X_User: 'kept' },
    got: { 'x-user-id': 'ann', x_user: 'kept' },
  },
  'set-with-underscore': {
    policies: () => set({ X_User: 'ann' }),
    sent: { 'x-user': 'admin', 'X-USER': 'admin' },
    got: { x_user: 'ann' },
  },
  'set-in-both-spellings': {
    policies: () => set({ X_User: 'ann', 'X-User': 'bob' }),
    sent: { X_User: 'admin' },
    got: { x_user: 'ann', 'x-user': 'bob' },
  },
  'set-and-other-spelling-removed': {
    policies: () => ({ requestHeaderModifier: { set: { 'x-user': 'ann' }, remove: ['x_user'] } }),
    got: { 'x-user': 'ann' },
  },
  'other-spelling-removed-later': {
    policies: () => set({ 'x-user': 'ann' }),
    backendPolicies: { requestHeaderModifier: { remove: ['x_user'] } },
    got: { 'x-user': 'ann' },
  },
  'token-of-a-claim': {
    policies: () => ({ jwtAuth, ...transformed({ set: { 'x-user': 'jwt.sub' } }) }),
    got: { 'x-user': 'ann' },
  },
  'missing-claim': {
    policies: () => ({ jwtAuth, ...transformed({ set: { 'x-user': 'jwt.nothing' } }) }),
    got: {},
  },
  'made-of-the-other-spelling': {
    policies: () => transformed({ set: { 'x-user': "request.headers['x_user']" } }),
    sent: { X_User: 'ann' },
    got: { 'x-user': 'ann' },
  },
  'removed-by-a-transformation': { policies: () => transformed({ remove: ['x-user'] }), got: {} },
  'ext-authz-http': {
    policies: ({ decider }) => ({
      extAuthz: { host: decider, protocol: { http: { includeResponseHeaders: ['x-user'] } } },
    }),
    got: { 'x-user': 'ann' },
  },
  'ext-authz-grpc': {
    policies: ({ grpcDecider }) => ({ extAuthz: { host: grpcDecider } }),
    got: { 'x-user': 'ann' },
  },
  'ext-proc': { policies: ({ processor }) => ({ extProc: { host: processor } }), got: { 'x-user': 'ann' } },
  'api-key-taken': {
    policies: () => ({
      apiKey: { mode: 'strict', location: { header: { name: 'x-api-key' } }, keys: [{ key: 'k-1' }] },
    }),
    sent: { 'x-api-key': 'k-1', X_Api_Key: 'k-2' },
    got: {},
  },
  'backend-auth': {
    policies: () => ({}),
    backendPolicies: {
      backendAuth: { key: { value: 'secret', location: { header: { name: 'x-service-key' } } } },
    },
    sent: { X_Service_Key: 'mine', 'x-service_key': 'mine' },
    got: { 'x-service-key': 'secret' },
  },
  retry: {
    policies: () => ({ retry: { attempts: 1, codes: [503], precondition: 'true' } }),
    sent: { 'x-fails': '1', X_Retry_Attempt: '7' },
    got: { 'x-fails': '1', 'x-retry-attempt': '1' },
  },
  mirror: {
    policies: ({ shadow }) => ({ ...set({ 'x-user': 'ann' }), requestMirror: { backend: { host: shadow } } }),
    got: { 'x-user': 'ann' },
  },
}

/** Fields that are always present. */
const usual = new Set(['host', 'connection', 'authorization', 'content-length', 'accept'])

/** Fields that `forwarded` sets. */
const told = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'cdn-loop'])

const own = (fields: Readonly<Record<string, unknown>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      usual.has(name) || told.has(name) ? [] : [[name, String(value)]],
    ),
  )

suite('a field that the gateway sets or removes is removed in spellings that servers treat as equal', () => {
  let daemon: Daemon
  let upstream: UpstreamServer
  let decider: UpstreamServer
  let grpcDecider: GrpcServer
  let processor: Processor
  let shadow: UpstreamServer
  let copies: Fields[] = []
  before(async () => {
    upstream = await httpServer((req, res) => {
      res.statusCode = req.headers['x-fails'] === '1' && !req.headers['x-retry-attempt'] ? 503 : 200
      res.end(JSON.stringify(req.headers))
    })
    shadow = await httpServer((req, res) => {
      copies.push(own(req.headers))
      res.end()
    })
    decider = await httpServer((_req, res) => res.setHeader('x-user', 'ann').end())
    const changed = [{ header: { key: 'x-user', value: 'ann' } }]
    grpcDecider = await grpcServer([
      unary(Authorization.method.check, () => ({
        status: { code: 0 },
        httpResponse: { case: 'okResponse' as const, value: { headers: changed } },
      })),
    ])
    processor = await startProcessor()
    processor.onStream = respondingTo(({ request }) =>
      request.case === 'requestHeaders'
        ? {
            response: {
              case: 'requestHeaders',
              value: { response: { headerMutation: { setHeaders: changed } } },
            },
          }
        : asItIs,
    )
    const places = {
      decider: `127.0.0.1:${decider.port}`,
      grpcDecider: grpcDecider.host,
      processor: processor.host,
      shadow: `127.0.0.1:${shadow.port}`,
    }
    const routes = Object.entries(cases).map(([name, { policies, backendPolicies }]) => ({
      name,
      gateways: 'default',
      matches: [{ path: { exact: `/${name}` } }],
      policies: policies(places),
      backends: [{ host: `127.0.0.1:${upstream.port}`, policies: backendPolicies ?? {} }],
    }))
    daemon = await startDaemon(`${anyPorts}
frontendPolicies: { http: { forwarded: { mode: overwrite } } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: ${JSON.stringify(routes)}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [upstream, decider, shadow, grpcDecider, processor])
      await server[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    copies = []
  })

  const others = { X_User: 'admin', x_USER: 'admin' }
  for (const [name, { sent = others, got }] of Object.entries(cases)) {
    test(`${name}: HTTP/1.1`, async () => {
      const headers = { authorization: `Bearer ${token}`, ...forged, ...sent }
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`, { headers })
      assert.equal(status, 200, text)
      assert.deepEqual(own(JSON.parse(text) as Fields), got)
      if (name !== 'mirror') return
      while (copies.length === 0) await new Promise(setImmediate)
      assert.deepEqual(copies, [got])
    })

    test(`${name}: HTTP/2`, async () => {
      const session = connect(daemon.url('default'))
      try {
        const lower = Object.fromEntries(
          Object.entries({ ...forged, ...sent }).map(([key, value]) => [key.toLowerCase(), value]),
        )
        const stream = session.request({ ':path': `/${name}`, authorization: `Bearer ${token}`, ...lower })
        let text = ''
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        await once(stream, 'end')
        assert.deepEqual(own(JSON.parse(text) as Fields), got)
      } finally {
        session.destroy()
      }
    })
  }
})
