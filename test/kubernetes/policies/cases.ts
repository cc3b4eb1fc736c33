import assert from 'node:assert/strict'
import { keySetOf, secondsFromNow, signer } from '../../support/tokens.ts'
import type { LabRequest, LabResponse } from './lab-client.ts'
import { backend, policy, route, secret, target } from './objects.ts'

/** A policy that acts on the requests of one route, which has its name. */
export interface PolicyCase {
  /** `traffic` or `backend`. */
  readonly spec: object
  /** What the route leads to; by default what repeats the request. */
  readonly backendRef?: object
  /** By default the route. */
  readonly target?: object
  /** What it needs beside the route. */
  readonly objects?: readonly object[]
  /** Requests below the path of the route, and what has to come of them. */
  readonly check: (send: SendTo) => Promise<void>
}

/** Sends a request to a path below that of the route. */
export type SendTo = (options?: Omit<LabRequest, 'url'>, below?: string) => Promise<LabResponse>

const ISSUER = 'https://issuer.example.com'
const key = signer('one')
const stranger = signer('one')
const claims = { iss: ISSUER, aud: 'shop', sub: 'alice', exp: secondsFromNow(3600) }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** The key set of the issuer. */
export const keySet = keySetOf(key)

const service = (port: number) => ({ backendRef: { name: 'services', port } })

/** What the backend has received. */
const received = ({ body }: LabResponse) =>
  JSON.parse(body) as {
    readonly headers: Readonly<Record<string, string | undefined>>
    readonly count: number
    readonly url: string
    readonly peer?: string
  }

const statuses = async (...responses: readonly Promise<LabResponse>[]) =>
  (await Promise.all(responses)).map(({ status }) => status)

const jwtCheck = async (send: SendTo) => {
  const good = bearer(key.token(claims))
  assert.deepEqual(
    await statuses(
      send(),
      send(bearer(stranger.token(claims))),
      send(bearer(key.token({ ...claims, exp: secondsFromNow(-3600) }))),
      send(bearer(key.token({ ...claims, aud: 'other' }))),
      send(good),
    ),
    [401, 401, 401, 401, 200],
  )
}

/** A request of a chat with one prompt. */
export const chat = (content: string): Omit<LabRequest, 'url'> => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-team': 'web' },
  body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content }] }),
})

/** By the names of the policies, which are those of their routes. */
export const cases: Readonly<Record<string, PolicyCase>> = {
  'jwt-inline': {
    spec: {
      traffic: {
        jwtAuthentication: {
          providers: [{ issuer: ISSUER, audiences: ['shop'], jwks: { inline: keySet } }],
        },
      },
    },
    check: jwtCheck,
  },
  'jwt-remote': {
    spec: {
      traffic: {
        jwtAuthentication: {
          providers: [
            {
              issuer: ISSUER,
              audiences: ['shop'],
              jwks: { remote: { ...service(8080), jwksPath: '/keys' } },
            },
          ],
        },
        authorization: { policy: { matchExpressions: ['jwt.sub == "alice"'] } },
      },
    },
    check: async (send) => {
      await jwtCheck(send)
      const bob = bearer(key.token({ ...claims, sub: 'bob' }))
      assert.deepEqual(await statuses(send(bob)), [403])
    },
  },
  basic: {
    // The password is `open sesame`.
    objects: [secret('users', { '.htaccess': 'alice:{SHA}W8r/fyL/UzygmbNAjq2HbA67qac=' })],
    spec: { traffic: { basicAuthentication: { secretRef: { name: 'users' }, realm: 'shop' } } },
    check: async (send) => {
      const as = (text: string) => ({
        headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
      })
      const refused = await send()
      assert.equal(refused.headers['www-authenticate'], 'Basic realm="shop"')
      assert.deepEqual(
        [refused.status, ...(await statuses(send(as('alice:other')), send(as('alice:open sesame'))))],
        [401, 401, 200],
      )
    },
  },
  'api-key': {
    objects: [secret('keys', { alice: '{"key": "a-key-of-alice", "metadata": {"team": "web"}}' })],
    spec: {
      traffic: {
        apiKeyAuthentication: {
          secretRef: { name: 'keys' },
          location: { header: { name: 'x-api-key' } },
        },
        transformation: { request: { set: [{ name: 'x-team', value: 'apiKey.team' }] } },
      },
    },
    check: async (send) => {
      assert.deepEqual(await statuses(send(), send({ headers: { 'x-api-key': 'another' } })), [401, 401])
      const { headers } = received(await send({ headers: { 'x-api-key': 'a-key-of-alice' } }))
      assert.deepEqual([headers['x-team'], headers['x-api-key']], ['web', undefined])
    },
  },
  authorization: {
    spec: {
      traffic: {
        authorization: {
          action: 'Deny',
          policy: { matchExpressions: ['request.path.endsWith("/admin")'] },
        },
      },
    },
    check: async (send) => {
      assert.deepEqual(await statuses(send({}, '/admin'), send({}, '/cart')), [403, 200])
    },
  },
  'rate-limit': {
    spec: { traffic: { rateLimit: { local: [{ requests: 2, unit: 'Hours' }] } } },
    check: async (send) => {
      assert.deepEqual(await statuses(send(), send(), send()), [200, 200, 429])
    },
  },
  cors: {
    spec: {
      traffic: { cors: { allowOrigins: ['https://shop.example.com'], allowMethods: ['GET'], maxAge: 60 } },
    },
    check: async (send) => {
      const preflight = (origin: string) =>
        send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } })
      const allowed = await preflight('https://shop.example.com')
      assert.equal(allowed.headers['access-control-allow-origin'], 'https://shop.example.com')
      assert.equal(allowed.headers['access-control-max-age'], '60')
      const other = await preflight('https://other.example.com')
      assert.equal(other.headers['access-control-allow-origin'], undefined)
    },
  },
  csrf: {
    spec: { traffic: { csrf: { additionalOrigins: ['https://partner.example.com'] } } },
    check: async (send) => {
      const post = (origin: string) => send({ method: 'POST', headers: { origin } })
      assert.deepEqual(
        await statuses(post('https://evil.example.com'), post('https://partner.example.com'), send()),
        [403, 200, 200],
      )
    },
  },
  transformation: {
    spec: {
      traffic: {
        transformation: {
          request: {
            set: [{ name: ':path', value: '"/changed" + request.path' }],
            remove: ['x-debug'],
          },
          response: { add: [{ name: 'x-code', value: 'string(response.code)' }] },
        },
      },
    },
    check: async (send) => {
      const response = await send({ headers: { 'x-debug': 'yes' } })
      const { url, headers } = received(response)
      assert.deepEqual(
        [url, headers['x-debug'], response.headers['x-code']],
        ['/changed/transformation', undefined, '200'],
      )
    },
  },
  'header-modifiers': {
    spec: {
      traffic: {
        headerModifiers: {
          request: { set: [{ name: 'x-set', value: 'by policy' }], remove: ['x-debug'] },
          response: { remove: ['x-internal'] },
        },
      },
    },
    check: async (send) => {
      const response = await send({ headers: { 'x-set': 'by client', 'x-debug': 'yes' } })
      const { headers } = received(response)
      assert.deepEqual(
        [headers['x-set'], headers['x-debug'], response.headers['x-internal']],
        ['by policy', undefined, undefined],
      )
    },
  },
  timeouts: {
    spec: { traffic: { timeouts: { request: '300ms' } } },
    check: async (send) => {
      assert.deepEqual(await statuses(send({}, '?delay=5000'), send()), [504, 200])
    },
  },
  retry: {
    spec: { traffic: { retry: { attempts: 2, codes: [503], backoff: '10ms' } } },
    check: async (send) => {
      const id = String(performance.now())
      assert.equal(received(await send({}, `?fail=2&id=${id}`)).count, 3)
      assert.deepEqual(await statuses(send({}, `?fail=9&id=more${id}`)), [503])
    },
  },
  delay: {
    spec: { traffic: { delay: { duration: '300ms' } } },
    check: async (send) => {
      const began = performance.now()
      assert.deepEqual(await statuses(send()), [200])
      // Timers of Node may be over a little early.
      assert.ok(performance.now() - began >= 290)
    },
  },
  buffer: {
    spec: { traffic: { buffer: { request: { maxBytes: 10 } } } },
    check: async (send) => {
      const post = (body: string) => send({ method: 'POST', body })
      assert.deepEqual(await statuses(post('short'), post('longer than that')), [200, 413])
    },
  },
  'host-rewrite': {
    backendRef: { group: 'agentgateway.dev', kind: 'ProxyBackend', name: 'named' },
    objects: [backend('named', { static: { host: 'services.shop.svc.cluster.local', port: 8080 } })],
    spec: { traffic: { hostRewrite: { mode: 'None' } } },
    check: async (send) => {
      const { headers } = received(await send({ headers: { host: 'of.the.client' } }))
      assert.equal(headers.host, 'of.the.client')
    },
  },
  'direct-response': {
    spec: {
      traffic: {
        directResponse: {
          status: 451,
          bodyExpression: '"no " + request.path',
          headers: [{ name: 'x-why', value: '"law"' }],
        },
      },
    },
    check: async (send) => {
      const { status, body, headers } = await send()
      assert.deepEqual([status, body, headers['x-why']], [451, 'no /direct-response', 'law'])
    },
  },
  'ext-auth': {
    spec: {
      traffic: {
        extAuth: {
          ...service(8081),
          http: {
            path: '"/check" + request.path',
            allowedRequestHeaders: ['x-pass'],
            allowedResponseHeaders: ['x-user'],
          },
        },
      },
    },
    check: async (send) => {
      const denied = await send()
      assert.deepEqual([denied.status, denied.body], [403, 'denied by the service'])
      const { headers } = received(await send({ headers: { 'x-pass': 'yes' } }))
      assert.equal(headers['x-user'], 'alice of /check/ext-auth')
    },
  },
  'ext-auth-grpc': {
    spec: { traffic: { extAuth: { ...service(9001), grpc: {} } } },
    check: async (send) => {
      assert.deepEqual(await statuses(send(), send({ headers: { 'x-pass': 'yes' } })), [403, 200])
    },
  },
  'ext-proc': {
    spec: {
      traffic: {
        extProc: {
          ...service(9000),
          processingOptions: { requestBodyMode: 'None', responseBodyMode: 'None' },
        },
      },
    },
    check: async (send) => {
      assert.equal(received(await send()).headers['x-processed'], 'yes')
    },
  },
  'prompt-guard': {
    backendRef: { group: 'agentgateway.dev', kind: 'ProxyBackend', name: 'models' },
    objects: [
      secret('provider', { Authorization: 'a-key-of-the-provider' }),
      backend('models', {
        ai: {
          provider: {
            custom: { model: 'model', formats: [{ type: 'Completions' }], ...service(8083) },
          },
        },
        policies: { auth: { secretRef: { name: 'provider' } } },
      }),
    ],
    spec: {
      backend: {
        ai: {
          promptGuard: {
            request: [
              {
                webhook: {
                  backendRef: { kind: 'Service', name: 'services', port: 8082 },
                  headers: { 'x-team': 'request.headers["x-team"]', ':path': '"/check"' },
                },
              },
            ],
            response: [{ regex: { builtins: ['Email'], action: 'Mask' } }],
          },
        },
      },
    },
    check: async (send) => {
      const rejected = await send(chat('a forbidden thing'), '/v1/chat/completions')
      assert.deepEqual([rejected.status, rejected.body], [422, 'no, web, by /check'])
      const { body } = await send(chat('write to alice@example.com'), '/v1/chat/completions')
      assert.match(body, /"write to <EMAIL_ADDRESS>"/)
    },
  },
  'backend-tls': {
    backendRef: { name: 'secure', port: 443 },
    target: target('Service', 'secure'),
    spec: {
      backend: {
        tls: {
          caCertificateRefs: [{ name: 'authority' }],
          mtlsCertificateRef: [{ name: 'client-tls' }],
          sni: 'services.shop.svc.cluster.local',
        },
      },
    },
    check: async (send) => {
      assert.equal(received(await send()).peer, 'proxies')
    },
  },
  'backend-auth': {
    objects: [secret('upstream', { token: 'a-token' })],
    spec: {
      backend: {
        auth: {
          credentials: [
            { location: { header: { name: 'x-token' } }, secretRef: { name: 'upstream', key: 'token' } },
          ],
        },
        http: { requestTimeout: '500ms' },
      },
    },
    check: async (send) => {
      const { headers } = received(await send({ headers: { 'x-token': 'of the client' } }))
      assert.equal(headers['x-token'], 'a-token')
      assert.deepEqual(await statuses(send({}, '?delay=5000')), [504])
    },
  },
  conditional: {
    backendRef: { group: 'agentgateway.dev', kind: 'ProxyBackend', name: 'by-name' },
    objects: [backend('by-name', { static: { host: 'services.shop.svc.cluster.local', port: 8080 } })],
    spec: {
      traffic: {
        extAuth: {
          conditional: [
            { condition: 'request.method == "POST"', policy: { ...service(9001), grpc: {} } },
            { condition: 'request.method == "PUT"', policy: { ...service(8081), http: {} } },
          ],
        },
      },
    },
    check: async (send) => {
      const [put, post] = ['PUT', 'POST'].map((method) => send({ method }))
      assert.deepEqual(await statuses(send(), put!, post!), [200, 403, 403])
      assert.equal((await put!).body, 'denied by the service')
    },
  },
}

/** The objects of a case. */
export const caseObjects = (name: string, one: PolicyCase): readonly object[] => [
  ...(one.objects ?? []),
  route(name, one.backendRef),
  policy(name, one.target ?? target('HTTPRoute', name), one.spec),
]
