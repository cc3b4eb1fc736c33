import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { PolicyOrigins } from '../../../src/config/policy-origins.ts'
import { curlRequest } from '../../../src/cli/curl/curl-request.ts'
import { Explainer } from '../../../src/cli/explain/explainer.ts'
import type { Explanation, ForwardedVerdict, RepliedVerdict } from '../../../src/cli/explain/explanation.ts'
import { findBind } from '../../../src/cli/explain/find-bind.ts'

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly claims?: object
}

const explain = async (yaml: string, url: string, options: RequestOptions = {}): Promise<Explanation> => {
  const origins = new PolicyOrigins()
  const loaded = await loadConfig({ kind: 'text', text: yaml, name: 'gw.yaml' }, {}, undefined, origins)
  await using explainer = new Explainer(loaded, origins, { claims: options.claims })
  const { method, headers = {}, body } = options
  const parts = {
    method,
    url,
    headers: Object.entries(headers),
    body: body === undefined ? undefined : Buffer.from(body),
  }
  const request = curlRequest(parts)
  assert.ok(typeof request !== 'string', 'no request')
  return await explainer.explain(findBind(loaded.resources.binds, request, undefined).key, url, request)
}

const forwarded = ({ verdicts: [first] }: Explanation): ForwardedVerdict => {
  assert.equal(first?.kind, 'forward', JSON.stringify(first))
  return first
}

const replied = ({ verdicts: [first] }: Explanation): RepliedVerdict => {
  assert.equal(first?.kind, 'reply', JSON.stringify(first))
  return first
}

test('an explanation has IPv6 addresses of backends in brackets', async () => {
  const yaml = `
gateways: { web: { port: 3000 } }
routes: [{ gateways: web, backends: [{ host: '[::1]:8080' }] }]
`
  const { backends } = await explain(yaml, 'http://localhost:3000/')
  assert.deepEqual(backends[0]?.targets, ['[::1]:8080'])
})

test('an explanation of a route', async (t) => {
  const shop = `
gateways:
  web:
    port: 3000
    listeners:
      - { name: api, hostname: api.test, cors: { allowOrigins: ['*'] } }
      - { name: rest }
routes:
  - name: users
    gateways: web/api
    matches: [{ path: { pathPrefix: /users }, method: GET, headers: [{ name: x-tier, value: { exact: gold } }] }]
    policies: { requestHeaderModifier: { set: { x-a: route } } }
    backends: [{ backend: users, policies: { requestHeaderModifier: { add: { x-b: inner } } } }]
  - name: any
    gateways: web/api
    matches: [{ path: { pathPrefix: /users } }, { path: { exact: /health } }]
    backends: [{ host: 10.0.0.1:80, weight: 3 }, { host: 10.0.0.2:80, weight: 1, policies: { authorization: { rules: ["request.method == 'PUT'"] } } }, { host: 10.0.0.3:80, weight: 0 }]
backends:
  - { name: users, host: '10.0.0.9:80' }
policies:
  - name: { name: base }
    target: { gateway: { gatewayName: web } }
    policy: { requestHeaderModifier: { add: { x-c: outer } } }
`

  await t.test('says where each part of a merged policy is written', async () => {
    const explained = await explain(shop, 'http://api.test:3000/users/1', { headers: { 'x-tier': 'gold' } })
    const modifiers = explained.policies.filter(({ policy }) => policy === 'requestHeaderModifier')
    assert.deepEqual(
      modifiers.map(({ level, written }) => [
        level,
        written.map(({ level: from, path, line }) => [from, path, line]),
      ]),
      [
        [
          'route',
          [
            ['attached policy', 'policies[0].policy.requestHeaderModifier', 23],
            ['route', 'routes[0].policies.requestHeaderModifier', 12],
          ],
        ],
        ['backend', [['backend', 'routes[0].backends[0].policies.requestHeaderModifier', 13]]],
      ],
    )
    assert.deepEqual(
      forwarded(explained).sent?.headers.filter((name) => name.startsWith('x-')),
      ['x-tier', 'x-c', 'x-a', 'x-b'],
    )
    assert.equal(explained.listener?.written?.path, 'gateways.web.listeners[0]')
    assert.deepEqual(explained.routes[0]?.written, { level: 'route', path: 'routes[0]', line: 9, column: 5 })
  })

  await t.test('names the first condition that another route does not meet', async () => {
    const why = async (url: string, options?: RequestOptions) =>
      (await explain(shop, url, options)).otherRoutes[0]?.why
    assert.equal(await why('http://api.test:3000/users'), 'header x-tier: is absent, expected exact "gold"')
    assert.equal(
      await why('http://api.test:3000/users', { method: 'PUT', headers: { 'x-tier': 'gold' } }),
      'method: is "PUT", expected GET',
    )
    assert.equal(
      await why('http://api.test:3000/users', { headers: { 'x-tier': 'gold' } }),
      'precedence: it matches, but gateway/web/api/default/users wins by method',
    )
    assert.equal(await why('http://api.test:3000/health'), 'path: is "/health", expected prefix "/users"')
  })

  await t.test('has a verdict for each backend that may be chosen, and none for a weight of 0', async () => {
    const explained = await explain(shop, 'http://api.test:3000/health')
    assert.deepEqual(
      explained.backends.map(({ share }) => share),
      [0.75, 0.25, 0],
    )
    assert.deepEqual(
      explained.verdicts.map((one) => (one.kind === 'reply' ? one.code : one.kind)),
      ['forward', 'authorization_failed'],
    )
  })

  await t.test('names listeners that another host or protocol would choose', async () => {
    const explained = await explain(shop, 'http://other.test:3000/')
    assert.deepEqual(
      [explained.listener?.name, explained.otherListeners.map(({ why }) => why)],
      ['rest', ['host: other.test does not fit api.test']],
    )
    assert.equal(replied(explained).code, 'route_not_found')
  })

  await t.test('shows the normalized path, and refuses what the gateway refuses', async () => {
    const { request } = await explain(shop, 'http://api.test:3000/a/../users/%31')
    assert.equal(request.target, '/users/1')
    const refused = replied(await explain(shop, 'http://api.test:3000/%zz'))
    assert.deepEqual([refused.status, refused.by], [400, 'http'])
    const slash = replied(await explain(shop, 'http://api.test:3000/users%2F1'))
    assert.deepEqual([slash.status, slash.code], [400, 'target_encoded_slash'])
  })

  await t.test('says that a cleartext port closes a TLS connection', async () => {
    const { verdicts } = await explain(shop, 'https://api.test:3000/')
    assert.deepEqual(verdicts, [{ kind: 'closed', why: 'no listener of the port terminates TLS' }])
  })

  await t.test('says why a listener cannot terminate TLS', async () => {
    const broken = `gateways: { default: { port: 443, tls: { invalid: no certificate } } }
routes: [{ backends: [{ host: 'a:80' }] }]`
    const { verdicts } = await explain(broken, 'https://127.0.0.1/')
    const why = 'the TLS handshake fails: listener gateway/default is marked as invalid: no certificate'
    assert.deepEqual(verdicts, [{ kind: 'closed', why }])
  })
})

test('an explanation of what depends on the outside', async (t) => {
  await t.test('opens no connection, resolves no name and starts no program', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'))
    let connections = 0
    const outside = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`
    const { policies, verdicts, undecided } = await explain(
      `
gateways: { default: { port: 3000, extAuthz: { host: '${host}', protocol: { grpc: {} } } } }
routes:
  - name: tools
    matches: [{ path: { pathPrefix: /mcp } }]
    policies:
      jwtAuth: { mode: strict, issuer: 'https://idp.test', audiences: [a], jwks: { url: 'http://${host}/keys' } }
      authorization: { rules: ["jwt.sub == 'ann'"] }
      requestMirror: { backend: { host: '${host}' } }
      remoteRateLimit: { host: '${host}', domain: d, descriptors: [{ entries: [{ key: a, value: '"b"' }] }] }
    backends:
      - mcp:
          targets:
            - { name: program, stdio: { cmd: touch, args: ['${join(folder, 'started')}'] } }
            - { name: remote, mcp: { host: 'http://${host}/mcp' } }
`,
      'http://a.test:3000/mcp',
      {
        method: 'POST',
        headers: { authorization: `Bearer ${unsigned}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      },
    )
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([connections, existsSync(join(folder, 'started'))], [0, false])
    assert.equal(verdicts[0]?.kind, 'forward')
    assert.deepEqual(
      undecided.map(({ policy }) => policy),
      ['extAuthz', 'jwtAuth', 'authorization', 'remoteRateLimit'],
    )
    assert.ok(policies.some(({ policy }) => policy === 'requestMirror'))
    outside.close()
    await rm(folder, { recursive: true })
  })

  const tokens = `
gateways: { default: { port: 3000 } }
routes:
  - policies:
      jwtAuth: { mode: strict, issuer: 'https://idp.test', audiences: [a], jwks: { url: 'https://idp.test/keys' } }
      authorization: { rules: ["jwt.sub == 'ann'"] }
    backends: [{ host: 10.0.0.1:80 }]
`

  await t.test('decides that a token is missing, which needs no keys', async () => {
    assert.equal(replied(await explain(tokens, 'http://a.test:3000/')).code, 'jwt_missing')
  })

  await t.test('decides rules about given claims', async () => {
    const verdict = async (sub: string) =>
      (await explain(tokens, 'http://a.test:3000/', { claims: { sub } })).verdicts[0]
    assert.equal((await verdict('ann'))?.kind, 'forward')
    const refused = await verdict('bob')
    assert.equal(refused?.kind === 'reply' && refused.code, 'authorization_failed')
  })

  await t.test('gives the results of the rules that it decides', async () => {
    const { rules } = await explain(tokens, 'http://a.test:3000/', { claims: { sub: 'bob' } })
    assert.deepEqual(
      rules.map(({ name, matched }) => [name, matched]),
      [["jwt.sub == 'ann'", false]],
    )
  })

  await t.test('checks the destination of a dynamic backend by its name', async () => {
    const dynamic = `
gateways: { default: { port: 3000 } }
routes: [{ backends: [{ dynamic: { allow: { hosts: ['*.good.test'] } } }] }]
`
    assert.equal(forwarded(await explain(dynamic, 'http://a.good.test:3000/')).type, 'dynamic')
    assert.equal(replied(await explain(dynamic, 'http://bad.test:3000/')).code, 'dynamic_backend_refused')
  })

  await t.test('hides credentials of the configuration and of the request', async () => {
    const text = JSON.stringify(
      await explain(
        `
gateways: { default: { port: 3000 } }
routes: [{ backends: [{ backend: api }] }]
backends: [{ name: api, host: 10.0.0.1:80, policies: { backendAuth: { key: hidden-in-file } } }]
`,
        'http://a.test:3000/',
        { headers: { authorization: 'Bearer hidden-in-request', cookie: 'id=hidden-in-cookie' } },
      ),
    )
    assert.doesNotMatch(text, /hidden/)
    assert.match(text, /<redacted>/)
  })
})

test('an explanation of a language model', async (t) => {
  const models = `
llm:
  port: 4000
  models:
    - { name: fast, provider: openAI, params: { model: gpt-5-mini, apiKey: k } }
    - { name: slow, provider: anthropic, params: { model: claude-x, apiKey: k } }
  virtualModels:
    - { name: best, routing: { failover: { targets: [{ model: fast, priority: 0 }, { model: slow, priority: 1 }] } } }
`
  const explainModel = (model: string) =>
    explain(models, 'http://a.test:4000/v1/chat/completions', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    })

  await t.test('gives the provider, its model and its path', async () => {
    const { backend, sent } = forwarded(await explainModel('fast'))
    assert.deepEqual([backend, sent?.model, sent?.target], ['fast', 'gpt-5-mini', '/v1/chat/completions'])
    assert.equal(forwarded(await explainModel('slow')).sent?.target, '/v1/messages')
  })

  await t.test('resolves virtual models, and lists what they stand for', async () => {
    const explained = await explainModel('best')
    assert.equal(forwarded(explained).sent?.model, 'gpt-5-mini')
    assert.ok(explained.backends[0]?.targets.includes('best → fast, then slow'))
  })

  await t.test('refuses a model that nothing serves', async () => {
    assert.equal(replied(await explainModel('unknown')).status, 404)
  })
})

test('an explanation of a route group', async (t) => {
  const groups = `
gateways: { default: { port: 3000 } }
routes:
  - name: outer
    matches: [{ path: { pathPrefix: /team } }]
    backends: [{ routeGroup: team }]
routeGroups:
  - name: team
    routes:
      - { name: inner, matches: [{ path: { pathPrefix: /team/a } }], backends: [{ host: 10.0.0.1:80 }] }
      - { name: other, matches: [{ path: { pathPrefix: /team/b } }], backends: [{ host: 10.0.0.2:80 }] }
`

  await t.test('names the routes on the way, and why not those of the group', async () => {
    const explained = await explain(groups, 'http://a.test:3000/team/a/1')
    assert.deepEqual(
      explained.routes.map(({ name }) => name),
      ['default/outer', 'default/inner'],
    )
    assert.deepEqual(
      explained.otherRoutes.map(({ why }) => why),
      ['path: is "/team/a/1", expected prefix "/team/b"'],
    )
    assert.equal(forwarded(explained).backend, '/routeGroup/team/default/inner/backend0')
  })
})

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = `${part({ alg: 'ES256', kid: '1' })}.${part({ iss: 'https://idp.test', aud: 'a', sub: 'ann', exp: 4e9 })}.${Buffer.alloc(64, 1).toString('base64url')}`
