import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { startEcho } from '../../support/echo-upstream.ts'
import { sendRequest } from '../../support/send-request.ts'
import { keySetOf, secondsFromNow, signer } from '../../support/tokens.ts'
import { startUpstream } from '../../support/upstream.ts'

const ISSUER = 'https://issuer.example'
const key = signer('one')

/** Fields of a token for audiences, or for none. */
const tokenFor = (aud?: unknown) => ({
  authorization: `Bearer ${key.token({ iss: ISSUER, exp: secondsFromNow(600), sub: 'ada', ...(aud === undefined ? {} : { aud }) })}`,
})

test('mcpAuthentication without audiences', async (t) => {
  await using upstream = await startEcho('mcp')
  const route = (name: string, resourceMetadata: object, more: object = {}) => ({
    name,
    matches: [{ path: { pathPrefix: `/${name}` } }],
    policies: { mcpAuthentication: { issuer: ISSUER, jwks: keySetOf(key), resourceMetadata, ...more } },
    backends: [{ host: upstream.host }],
  })
  const routes = [
    route('named', { resource: 'https://mcp.test/named' }),
    route('origin', { resource: 'https://mcp.test' }),
    route('open', {}),
    route('listed', { resource: 'https://mcp.test/listed' }, { audiences: ['listed'] }),
  ]
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: ${JSON.stringify(routes)}
`)
  const statusOf = async (name: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await sendRequest(daemon.url('default'), `/${name}`, { headers })).status

  await t.test('takes tokens for the resource, and none for other servers', async () => {
    assert.equal(await statusOf('named', tokenFor('https://mcp.test/named')), 200)
    assert.equal(await statusOf('named', tokenFor(['other', 'https://mcp.test/named'])), 200)
    for (const other of ['https://mcp.test', 'https://mcp.test/named/', 'https://evil.test', [], ''])
      assert.equal(await statusOf('named', tokenFor(other)), 401, JSON.stringify(other))
    assert.equal(await statusOf('named', tokenFor()), 401)
    assert.equal(await statusOf('named'), 401)
  })

  await t.test('takes the resource as clients write it as a URL', async () => {
    assert.equal(await statusOf('origin', tokenFor('https://mcp.test')), 200)
    assert.equal(await statusOf('origin', tokenFor('https://mcp.test/')), 200)
    assert.equal(await statusOf('origin', tokenFor('https://mcp.test/named')), 401)
  })

  await t.test('takes any token of the issuer if no resource is named', async () => {
    assert.equal(await statusOf('open', tokenFor('https://other.test')), 200)
    assert.equal(await statusOf('open', tokenFor()), 200)
    assert.equal(await statusOf('open'), 401)
  })

  await t.test('does not add the resource to audiences that are listed', async () => {
    assert.equal(await statusOf('listed', tokenFor('listed')), 200)
    assert.equal(await statusOf('listed', tokenFor('https://mcp.test/listed')), 401)
  })
})

test('clients are not sent to a provider with an audience that there is not', async () => {
  await using upstream = await startEcho('mcp')
  await using idp = await startUpstream((_, res) => {
    res.setHeader('content-type', 'application/json')
    res.end(
      JSON.stringify({ issuer: 'https://idp.test', authorization_endpoint: 'https://idp.test/authorize' }),
    )
  })
  const endpointWith = async (resourceMetadata: string): Promise<unknown> => {
    await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies:
      mcpAuthentication:
        issuer: "http://${idp.host}/"
        jwks: '${keySetOf(key)}'
        provider: { auth0: {} }
        resourceMetadata: ${resourceMetadata}
    backends: [{ host: "${upstream.host}" }]
`)
    const { text } = await sendRequest(daemon.url('default'), '/.well-known/oauth-authorization-server')
    return (JSON.parse(text) as { readonly authorization_endpoint: unknown }).authorization_endpoint
  }
  assert.equal(await endpointWith('{}'), 'https://idp.test/authorize')
  assert.equal(
    await endpointWith('{ resource: "https://mcp.test/mcp" }'),
    'https://idp.test/authorize?audience=https%3A%2F%2Fmcp.test%2Fmcp',
  )
})
