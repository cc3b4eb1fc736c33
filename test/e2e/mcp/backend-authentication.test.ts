import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { parseConfig } from '../../../src/config/parse.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { startToy, type ToyServer } from '../../support/mcp/toy-server.ts'
import { sendRequest } from '../../support/send-request.ts'
import { keySetOf, secondsFromNow, signer } from '../../support/tokens.ts'

const ISSUER = 'https://issuer.example'
const one = signer('one')

const authentication = (audience: string) => ({
  issuer: ISSUER,
  audiences: [audience],
  jwks: keySetOf(one),
  resourceMetadata: { scopesSupported: [audience] },
})

/** Fields of a token for an audience. */
const tokenFor = (audience: string, claims: Readonly<Record<string, unknown>> = {}) => ({
  authorization: `Bearer ${one.token({ iss: ISSUER, aud: audience, exp: secondsFromNow(600), sub: 'ada', ...claims })}`,
})

suite('authentication of an MCP backend', { concurrency: false }, () => {
  let toy: ToyServer
  let daemon: Daemon
  before(async () => {
    toy = await startToy({ tools: ['add'] })
    const mcp = { targets: [{ name: 'toy', mcp: { host: toy.url } }] }
    const route = (name: string, backends: readonly object[], policies: object = {}) => ({
      name,
      matches: [{ path: { pathPrefix: `/${name}` } }],
      policies,
      backends,
    })
    const own = { policies: { mcpAuthentication: authentication('inline') } }
    daemon = await startDaemon(
      `${anyPorts}${Object.entries({
        gateways: { default: { address: '127.0.0.1', port: 0 } },
        backends: [
          { name: 'named', mcp, policies: { mcpAuthentication: authentication('named') } },
          { name: 'attached', mcp },
          { name: 'open', mcp },
        ],
        routes: [
          route('named', [{ backend: 'named' }]),
          route('again', [{ backend: 'named' }, { backend: 'named' }]),
          route('inline', [{ mcp, ...own }]),
          route('local', [{ backend: 'named', ...own }]),
          route('attached', [{ backend: 'attached' }]),
          route('route', [{ backend: 'named' }], { mcpAuthentication: authentication('route') }),
          route('ruled', [{ backend: 'named' }], { authorization: { rules: ['jwt.sub == "ada"'] } }),
          route('mixed', [{ backend: 'attached' }, { backend: 'open' }]),
          route('open', [{ backend: 'open' }]),
        ],
        policies: [
          {
            name: { name: 'tokens' },
            target: { backend: { backend: { name: 'attached' } } },
            policy: { mcpAuthentication: authentication('attached') },
          },
        ],
      })
        .map(([name, value]) => `\n${name}: ${JSON.stringify(value)}`)
        .join('')}\n`,
    )
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })

  /** The status of the beginning of a session. */
  const begin = async (route: string, fields: Record<string, string> = {}): Promise<number> =>
    (await new McpCaller(`${daemon.url('default')}/${route}/mcp`, fields).open()).status

  for (const [route, audience] of [
    ['named', 'named'],
    ['again', 'named'],
    ['inline', 'inline'],
    ['local', 'inline'],
    ['attached', 'attached'],
    ['route', 'named'],
    ['ruled', 'named'],
  ] as const)
    test(`is that of the route ${route}`, async () => {
      assert.equal(await begin(route), 401)
      assert.equal(await begin(route, tokenFor('other')), 401)
      assert.equal(await begin(route, tokenFor(audience)), 200)
      const metadata = await sendRequest(
        daemon.url('default'),
        `/.well-known/oauth-protected-resource/${route}/mcp`,
      )
      assert.equal(metadata.status, 200)
      const { scopes_supported: scopes } = JSON.parse(metadata.text) as { readonly scopes_supported: unknown }
      assert.deepEqual(scopes, [audience])
    })

  test('gives the token to rules of the route', async () => {
    assert.equal(await begin('ruled', tokenFor('named', { sub: 'eve' })), 403)
  })

  test('stays off servers: they do not get the token', () => {
    assert.ok(toy.requests.length > 0)
    assert.ok(toy.requests.every(({ headers }) => headers.authorization === undefined))
  })

  test('closes a route whose backends do not agree', async () => {
    const before = toy.requestsOf('initialize').length
    for (const fields of [{}, tokenFor('attached')])
      for (let i = 0; i < 4; i++) assert.equal(await begin('mixed', fields), 403)
    assert.equal(toy.requestsOf('initialize').length, before)
    assert.equal(await begin('open'), 200)
  })
})

test('authentication of backends is refused where nothing would authenticate', async (t) => {
  const written = JSON.stringify(authentication('a'))
  const mcp = `mcp: { targets: [{ name: a, mcp: { host: 'http://a' } }] }`
  const policies = `policies: { mcpAuthentication: ${written} }`
  const attached = (target: string) =>
    `policies: [{ name: { name: a }, target: { backend: ${target} }, policy: { mcpAuthentication: ${written} } }]`
  const services = 'services: [{ name: web, namespace: shop, hostname: web.shop, ports: { 80: 80 } }]'
  const only = 'mcpAuthentication is for MCP servers'
  for (const [name, text, message] of [
    ['a host', `backends: [{ name: a, host: 'a:80', ${policies} }]`, only],
    ['a host of a route', `routes: [{ backends: [{ host: 'a:80', ${policies} }] }]`, only],
    ['a provider', `backends: [{ name: a, ai: { name: b, provider: { openAI: {} }, ${policies} } }]`, only],
    [
      'a server',
      `backends: [{ name: a, ${mcp} }]\n${attached('{ backend: { name: a, section: a } }')}`,
      'as a whole',
    ],
    [
      'a service',
      `${services}\n${attached('{ service: { hostname: web.shop, namespace: shop } }')}`,
      'as a whole',
    ],
    [
      'one of two backends',
      `routes: [{ backends: [{ ${mcp}, ${policies} }, { ${mcp} }] }]`,
      'all backends of a route must have the same mcpAuthentication',
    ],
  ] as const)
    await t.test(name, () => {
      assert.throws(
        () => parseConfig(`gateways: { default: { port: 3000 } }\n${text}\n`, 'a.yaml', {}),
        new RegExp(message),
      )
    })
})
