import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Events, OAuth2Server } from 'oauth2-mock-server'
import { sendRequest, type ReceivedResponse, type RequestParts } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startUpstream } from '../support/upstream.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** A request in the form that MCP clients send. */
const call = (token?: string): RequestParts => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify(initialize),
})

const json = ({ text }: ReceivedResponse): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>
const resourceMetadataOf = ({ headers }: ReceivedResponse): string =>
  /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? ''

test('an MCP client that only knows the address of a server', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    req.resume()
    const result = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'mcp', version: '1' },
    }
    res.setHeader('content-type', 'application/json')
    res.setHeader('x-authorization', String(req.headers.authorization))
    res.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  const idp = new OAuth2Server()
  await idp.issuer.keys.generate('RS256')
  await idp.start(0, '127.0.0.1')
  t.after(() => idp.stop())
  const issuer = `http://127.0.0.1:${idp.address().port}`
  idp.issuer.url = issuer
  let permissions: string[] = []
  idp.service.on(Events.BeforeTokenSigning, (token: { readonly payload: object }) => {
    Object.assign(token.payload, { aud: 'https://mcp.test', permissions })
  })
  // As in the documentation of the service, except for the MCP server itself.
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - matches: [{ path: { pathPrefix: /mcp } }]
    policies:
      mcpAuthentication:
        mode: strict
        issuer: ${issuer}
        audiences: [https://mcp.test]
        jwks: { url: "${issuer}/jwks" }
        resourceMetadata:
          resource: https://mcp.test
          scopesSupported: [read:all, write:all]
          bearerMethodsSupported: [header]
      authorization:
        rules: ['"read:all" in jwt.permissions']
    backends: [{ host: "${upstream.host}" }]
`)
  const url = daemon.url('default')

  let tokenEndpoint = ''
  await t.test('learns where the resource metadata is', async () => {
    const refused = await sendRequest(url, '/mcp', call())
    assert.equal(refused.status, 401)
    assert.equal(
      refused.headers['www-authenticate'],
      'Bearer resource_metadata="https://mcp.test/.well-known/oauth-protected-resource", scope="read:all write:all"',
    )
    assert.match(String(refused.headers['content-type']), /^application\/json/)
    assert.deepEqual(json(refused), { error: 'unauthorized', error_description: 'JWT token required' })
    const resource = json(await sendRequest(url, new URL(resourceMetadataOf(refused)).pathname))
    assert.deepEqual(resource, {
      resource: 'https://mcp.test',
      authorization_servers: [issuer],
      mcp_protocol_version: '2025-06-18',
      resource_type: 'mcp-server',
      scopes_supported: ['read:all', 'write:all'],
      bearer_methods_supported: ['header'],
    })
    // Older clients fetch the metadata of the authorization server from the MCP server.
    const server = json(await sendRequest(url, '/.well-known/oauth-authorization-server'))
    assert.equal(server.issuer, issuer)
    tokenEndpoint = String(server.token_endpoint)
  })

  const tokenWith = async (...granted: string[]): Promise<string> => {
    permissions = granted
    const { origin, pathname } = new URL(tokenEndpoint)
    const form = {
      grant_type: 'client_credentials',
      client_id: 'machine',
      client_secret: 'secret',
      audience: 'https://mcp.test',
    }
    const answer = await sendRequest(origin, pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    })
    return String(json(answer).access_token)
  }

  await t.test('gets a token and access, and the MCP server does not get the token', async () => {
    const answer = await sendRequest(url, '/mcp', call(await tokenWith('read:all')))
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(json(answer).result, {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'mcp', version: '1' },
    })
    assert.equal(answer.headers['x-authorization'], 'undefined')
  })

  await t.test('is refused with 403 and the required scopes if its token is insufficient', async () => {
    const answer = await sendRequest(url, '/mcp', call(await tokenWith('write:all')))
    assert.deepEqual([answer.status, answer.text], [403, 'authorization failed'])
    assert.equal(
      answer.headers['www-authenticate'],
      'Bearer error="insufficient_scope", scope="read:all write:all", resource_metadata="https://mcp.test/.well-known/oauth-protected-resource"',
    )
  })

  await t.test('is refused with 401 if its token is invalid', async () => {
    const token = await tokenWith('read:all')
    const answer = await sendRequest(url, '/mcp', call(`${token.slice(0, -8)}AAAAAAAA`))
    assert.equal(answer.status, 401)
    assert.match(
      String(answer.headers['www-authenticate']),
      /^Bearer resource_metadata="[^"]+", error="invalid_token", scope="read:all write:all"$/,
    )
    assert.deepEqual(json(answer), {
      error: 'unauthorized',
      error_description: 'authentication failure: the token is invalid or malformed: its signature is wrong',
    })
  })

  await t.test('is accepted with a new token right after a key rotation', async () => {
    await idp.issuer.keys.generate('RS256')
    const statuses: number[] = []
    for (let n = 0; n < 8; n++)
      statuses.push((await sendRequest(url, '/mcp', call(await tokenWith('read:all')))).status)
    assert.deepEqual(statuses, Array(8).fill(200))
  })
})

test('the metadata of protected resources', async (t) => {
  await using upstream = await startUpstream((req, res) => {
    req.resume()
    res.end(`upstream ${String(req.url)}`)
  })
  const policy = (more = '{}') =>
    `{ issuer: https://idp.test, audiences: [a], jwks: { url: "http://127.0.0.1:1/keys", readiness: failOpen }, resourceMetadata: ${more} }`
  const routes = `
  - { name: mcp, matches: [{ path: { pathPrefix: /mcp }, method: POST }], policies: { mcpAuthentication: ${policy()} }, backends: [{ host: "${upstream.host}" }] }
  - { name: deep, matches: [{ path: { exact: /a/b } }], policies: { mcpAuthentication: ${policy('{ resourceName: Deep }')} }, backends: [{ host: "${upstream.host}" }] }
  - { name: named, matches: [{ path: { pathPrefix: /inner } }], policies: { mcpAuthentication: ${policy('{ resource: "https://mcp.test/outer/inner" }')} }, backends: [{ host: "${upstream.host}" }] }
  - { name: open, matches: [{ path: { pathPrefix: /mcp/open } }], backends: [{ host: "${upstream.host}" }] }
  - { name: grouped, matches: [{ path: { pathPrefix: /group } }], backends: [{ routeGroup: g }] }
  - { name: hosted, hostnames: [own.test], policies: { mcpAuthentication: ${policy('{ resourceName: Hosted }')} }, backends: [{ host: "${upstream.host}" }] }
  - { name: own, matches: [{ path: { exact: /.well-known/oauth-protected-resource/mcp/own } }], backends: [{ host: "${upstream.host}" }] }
  - { name: rest, backends: [{ host: "${upstream.host}" }] }
routeGroups:
  - name: g
    routes:
      - { matches: [{ path: { pathPrefix: /group/mcp } }], policies: { mcpAuthentication: ${policy('{ resourceName: Grouped }')} }, backends: [{ host: "${upstream.host}" }] }
      - { matches: [{ path: { pathPrefix: /group } }], backends: [{ host: "${upstream.host}" }] }
`
  const start = (more = '') =>
    startDaemon(`${anyPorts}${more}
gateways: { default: { port: 0, address: 127.0.0.1, jwtAuth: { mode: permissive, issuer: x, audiences: [a], jwks: { url: "http://127.0.0.1:1/keys", readiness: failOpen } } } }
routes:${routes}`)
  await using daemon = await start()
  const url = daemon.url('default')
  const PLACE = '/.well-known/oauth-protected-resource'
  const at = (path: string, asked: RequestParts = {}) => sendRequest(url, PLACE + path, asked)

  const named: readonly (readonly [path: string, resource: string])[] = [
    ['/mcp', `${url}/mcp`],
    ['/mcp/', `${url}/mcp`],
    ['/mcp/sub', `${url}/mcp/sub`],
    ['/a/b', `${url}/a/b`],
    ['/inner', 'https://mcp.test/outer/inner'],
    ['/outer/inner', 'https://mcp.test/outer/inner'],
    ['/group/mcp', `${url}/group/mcp`],
    // No route at `/` requires tokens: the first route that does represents the host.
    ['', url],
    ['/', url],
  ]
  for (const [path, resource] of named)
    await t.test(`at ${PLACE}${path} describes ${resource.replace(url, '')}`, async () => {
      const answer = await at(path)
      assert.deepEqual([answer.status, json(answer).resource], [200, resource])
    })

  for (const path of ['/mcp/open', '/other', '/a', '/group', '/mcp/own', '/mcpx'])
    await t.test(`at ${PLACE}${path} is left to a route, as there is no resource`, async () => {
      assert.equal((await at(path)).text, `upstream ${PLACE}${path}`)
    })

  await t.test('differs by host', async () => {
    const asked = { headers: { host: 'own.test' } }
    assert.deepEqual(json(await at('', asked)), {
      resource: 'http://own.test',
      authorization_servers: ['https://idp.test'],
      mcp_protocol_version: '2025-06-18',
      resource_type: 'mcp-server',
      resource_name: 'Hosted',
    })
  })

  await t.test('can be read by scripts of every origin', async () => {
    const { headers } = await at('/mcp', { headers: { origin: 'https://inspector.test' } })
    assert.equal(headers['access-control-allow-origin'], '*')
    const asked = {
      origin: 'https://inspector.test',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'mcp-protocol-version',
    }
    const preflight = await at('/mcp', { method: 'OPTIONS', headers: asked })
    assert.deepEqual(
      [
        preflight.status,
        preflight.headers['access-control-allow-origin'],
        preflight.headers['access-control-allow-headers'],
        preflight.headers['access-control-allow-methods'],
      ],
      [204, '*', '*', 'GET, POST, OPTIONS'],
    )
  })

  await t.test('can only be read', async () => {
    assert.deepEqual(
      [(await at('/mcp', { method: 'HEAD' })).status, (await at('/mcp', { method: 'HEAD' })).text],
      [200, ''],
    )
    const posted = await at('/mcp', { method: 'POST', body: '{}' })
    assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })

  await t.test('is linked from the challenge at the requested address by default', async () => {
    assert.equal(resourceMetadataOf(await sendRequest(url, '/mcp/sub?x=1', call())), `${url}${PLACE}/mcp/sub`)
    assert.equal(
      resourceMetadataOf(await sendRequest(url, '/inner/x', call())),
      `https://mcp.test${PLACE}/outer/inner`,
    )
    const forged = {
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
    }
    const { headers = {}, ...rest } = call()
    assert.equal(
      resourceMetadataOf(await sendRequest(url, '/mcp', { ...rest, headers: { ...headers, ...forged } })),
      `${url}${PLACE}/mcp`,
    )
  })

  await t.test('uses the X-Forwarded fields of trusted proxies', async () => {
    await using proxied = await start(`
frontendPolicies: { http: { forwarded: { mode: append, trustedHops: 1 } } }`)
    const said = {
      'x-forwarded-host': 'Api.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/v1/',
    }
    const { headers = {}, ...rest } = call()
    const refused = await sendRequest(proxied.url('default'), '/mcp', {
      ...rest,
      headers: { ...headers, ...said },
    })
    assert.equal(resourceMetadataOf(refused), `https://api.example${PLACE}/v1/mcp`)
    const answer = await sendRequest(proxied.url('default'), `${PLACE}/mcp`, { headers: said })
    assert.equal(json(answer).resource, 'https://api.example/v1/mcp')
  })

  await t.test('is unavailable with 503 while the authorization server does not respond', async () => {
    const answer = await sendRequest(url, '/.well-known/oauth-authorization-server/mcp')
    assert.equal(answer.status, 503)
    assert.deepEqual(json(answer), {
      error: 'temporarily_unavailable',
      error_description: 'processing failed: the identity provider does not answer',
    })
    assert.equal(answer.headers['access-control-allow-origin'], '*')
  })
})
