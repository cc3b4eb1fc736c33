import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest, type ReceivedResponse, type RequestParts } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { type Echo, echoed, startEcho } from '../support/echo-upstream.ts'
import { secondsFromNow, keySetOf, signer } from '../support/tokens.ts'
import { startUpstream } from '../support/upstream.ts'

/** An identity provider of any kind: serves its metadata at every location, and echoes everything posted to it. */
const startProvider = async () => {
  const key = signer('provider')
  const asked: {
    readonly method: string
    readonly url: string
    readonly body: string
    readonly authorization: string | undefined
  }[] = []
  const server = await startUpstream((req, res) => {
    const { method = '', url = '' } = req
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const { authorization } = req.headers
      asked.push({ method, url, body: Buffer.concat(chunks).toString(), authorization })
      res.setHeader('content-type', 'application/json')
      const base = `http://${server.host}`
      if (method === 'POST') res.writeHead(201).end(JSON.stringify({ at: url }))
      else if (url.includes('/.well-known/o'))
        res.end(
          JSON.stringify({
            issuer: `${base}/t`,
            authorization_endpoint: `${base}/authorize?x=1`,
            token_endpoint: `${base}/token`,
            registration_endpoint: `${base}/mgmt/register`,
            token_endpoint_auth_methods_supported: ['client_secret_post'],
          }),
        )
      else res.end(keySetOf(key))
    })
  })
  return { ...server, base: `http://${server.host}`, key, asked }
}

const json = ({ text }: ReceivedResponse): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>
const SERVER = '/.well-known/oauth-authorization-server'

interface Expected {
  readonly issuer: string
  readonly authorization?: string
  readonly token?: string
  readonly registration?: string
  /** The requests for keys and metadata that the provider receives. */
  readonly asked: readonly string[]
}

/** By provider: the path of the issuer, and the resulting metadata. `GATEWAY` is the address of the metadata. */
const cases: readonly (readonly [provider: string, path: string, expected: Expected])[] = [
  [
    '',
    '/t',
    { issuer: 'ISSUER', asked: ['/t/.well-known/jwks.json', '/.well-known/oauth-authorization-server/t'] },
  ],
  [
    'auth0',
    '/',
    {
      issuer: 'SELF',
      authorization: 'BASE/authorize?x=1&audience=a+b',
      asked: ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server'],
    },
  ],
  [
    'okta',
    '/t',
    {
      issuer: 'SELF',
      authorization: 'BASE/authorize?x=1&audience=a+b',
      registration: 'GATEWAY/client-registration',
      asked: ['/t/.well-known/jwks.json', '/t/.well-known/openid-configuration'],
    },
  ],
  [
    'keycloak',
    '/realms/r',
    {
      issuer: 'SELF',
      registration: 'GATEWAY/client-registration',
      asked: ['/realms/r/protocol/openid-connect/certs', '/realms/r/.well-known/openid-configuration'],
    },
  ],
  [
    'descope',
    '/v1/apps/P1',
    {
      issuer: 'SELF',
      registration: 'GATEWAY/client-registration',
      asked: ['/P1/.well-known/jwks.json', '/v1/apps/P1/.well-known/openid-configuration'],
    },
  ],
  [
    'authentik',
    '/application/o/a/',
    {
      issuer: 'SELF',
      registration: 'GATEWAY/client-registration',
      asked: ['/application/o/a/jwks/', '/application/o/a/.well-known/openid-configuration'],
    },
  ],
  [
    'entra',
    '/t/v2.0',
    {
      issuer: 'SELF',
      authorization: 'GATEWAY/authorize',
      token: 'GATEWAY/token',
      registration: 'GATEWAY/client-registration',
      asked: ['/t/discovery/v2.0/keys', '/t/v2.0/.well-known/openid-configuration'],
    },
  ],
]

/** The registration endpoint of each provider; undefined: it has none. */
const registrations: Readonly<Record<string, string | undefined>> = {
  okta: '/oauth2/v1/clients',
  keycloak: '/realms/r/clients-registrations/openid-connect',
  descope: '/mgmt/register',
}

test('mcpAuthentication', async (t) => {
  await using upstream = await startEcho('mcp')
  const configuration = (issuer: string, provider: string, more = '') => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - matches: [{ path: { pathPrefix: /mcp } }]
    policies:
      mcpAuthentication:
        issuer: "${issuer}"
        audiences: ["a b", second]
        ${provider && `provider: { ${provider}: {} }`}
        resourceMetadata: { scopesSupported: [read] }
        ${more}
    backends: [{ host: "${upstream.host}" }]
`

  for (const [provider, path, expected] of cases)
    await t.test(provider || 'none', async (t) => {
      await using idp = await startProvider()
      const issuer = idp.base + path
      await using daemon = await startDaemon(configuration(issuer, provider))
      const url = daemon.url('default')
      const gateway = `${url}${SERVER}/mcp`
      const real = (text: string | undefined, otherwise: string): string =>
        text
          ?.replace('ISSUER', `${idp.base}/t`)
          .replace('SELF', `${url}/mcp`)
          .replace('BASE', idp.base)
          .replace('GATEWAY', gateway) ?? otherwise

      await t.test('rewrites the metadata of the provider', async () => {
        const resource = json(await sendRequest(url, '/.well-known/oauth-protected-resource/mcp'))
        assert.deepEqual(resource.authorization_servers, [provider ? `${url}/mcp` : issuer])
        const answer = await sendRequest(url, `${SERVER}/mcp`)
        assert.equal(answer.headers['access-control-allow-origin'], '*')
        const document = json(answer)
        assert.equal(document.issuer, real(expected.issuer, ''))
        assert.equal(
          document.authorization_endpoint,
          real(expected.authorization, `${idp.base}/authorize?x=1`),
        )
        assert.equal(document.token_endpoint, real(expected.token, `${idp.base}/token`))
        assert.equal(document.registration_endpoint, real(expected.registration, `${idp.base}/mgmt/register`))
        assert.deepEqual(
          document.token_endpoint_auth_methods_supported,
          provider === 'entra' ? ['none'] : ['client_secret_post'],
        )
        assert.deepEqual(
          document.code_challenge_methods_supported,
          provider === 'entra' ? ['S256'] : undefined,
        )
      })

      await t.test('fetches keys and metadata once each, where the provider has them', async () => {
        await sendRequest(url, `${SERVER}/mcp`)
        while (idp.asked.length < expected.asked.length) await new Promise(setImmediate)
        assert.deepEqual(idp.asked.map((one) => one.url).sort(), expected.asked.toSorted())
      })

      await t.test('accepts tokens of the provider', async () => {
        const token = idp.key.token({ iss: issuer, aud: 'second', exp: secondsFromNow(60) })
        const answer = await sendRequest(url, '/mcp', { headers: { authorization: `Bearer ${token}` } })
        assert.equal(answer.status, 200, answer.text)
      })

      await t.test('forwards client registrations if the provider supports them', async () => {
        const asked: RequestParts = {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer initial' },
          body: '{"client_name":"x"}',
        }
        const answer = await sendRequest(url, `${SERVER}/mcp/client-registration`, asked)
        const target = registrations[provider]
        if (target !== undefined) {
          assert.deepEqual([answer.status, json(answer)], [201, { at: target }])
          assert.equal(answer.headers['access-control-allow-origin'], '*')
          assert.deepEqual(idp.asked.at(-1), {
            method: 'POST',
            url: target,
            body: '{"client_name":"x"}',
            authorization: 'Bearer initial',
          })
        } else if (provider === 'authentik' || provider === 'entra')
          assert.deepEqual(
            [answer.status, json(answer)],
            [500, { error: 'server_error', error_description: `${provider} registers no clients` }],
          )
        else assert.equal(answer.status, 405)
      })
    })

  await t.test('with entra and a configured client', async (t) => {
    await using idp = await startProvider()
    await using daemon = await startDaemon(
      configuration(`${idp.base}/t/v2.0`, 'entra', 'clientId: app\n        clientSecret: hush'),
    )
    const url = daemon.url('default')
    const register = (body: string, method = 'POST') =>
      sendRequest(url, `${SERVER}/mcp/client-registration`, {
        method,
        headers: { 'content-type': 'application/json' },
        body,
      })

    await t.test('registers every client as the configured one', async () => {
      const before = secondsFromNow(0)
      const answer = await register(
        '{"redirect_uris":["http://localhost/cb"],"grant_types":["authorization_code"]}',
      )
      const { client_id_issued_at: issuedAt, ...rest } = json(answer)
      assert.ok(Number(issuedAt) >= before && Number(issuedAt) <= secondsFromNow(0))
      assert.deepEqual(
        [answer.status, rest],
        [
          201,
          {
            client_id: 'app',
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code'],
            response_types: ['code'],
            redirect_uris: ['http://localhost/cb'],
          },
        ],
      )
      assert.ok(!answer.text.includes('hush'))
    })

    await t.test('refuses malformed registrations', async () => {
      for (const body of ['', 'x', '[]', 'null'])
        assert.deepEqual(
          [(await register(body)).status, json(await register(body)).error],
          [400, 'invalid_client_metadata'],
        )
      assert.equal((await register(`{"x":"${'x'.repeat(70_000)}"}`)).status, 413)
      assert.equal((await register('{}', 'PUT')).status, 405)
    })

    await t.test('redirects logins to the provider without the resource parameter', async () => {
      const query = '?client_id=app&resource=https%3A%2F%2Fmcp.test&scope=read+write&state=a%26b'
      const answer = await sendRequest(url, `${SERVER}/mcp/authorize${query}`)
      assert.equal(answer.status, 302)
      assert.equal(
        answer.headers.location,
        `${idp.base}/authorize?x=1&client_id=app&scope=read+write&state=a%26b`,
      )
      assert.equal(
        (await sendRequest(url, `${SERVER}/mcp/authorize`, { method: 'POST', body: 'a=1' })).status,
        405,
      )
    })

    const granted = async (form: string): Promise<URLSearchParams> => {
      const answer = await sendRequest(url, `${SERVER}/mcp/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form,
      })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers['cache-control'], 'no-store')
      const { url: target, body } = idp.asked.at(-1) ?? { url: '', body: '' }
      assert.equal(target, '/token')
      return new URLSearchParams(body)
    }

    await t.test('adds the client secret to token requests for user grants', async () => {
      for (const grant of ['authorization_code', 'refresh_token']) {
        const form = await granted(`grant_type=${grant}&client_id=app&code=c&resource=https%3A%2F%2Fmcp.test`)
        assert.deepEqual(Object.fromEntries(form), {
          grant_type: grant,
          client_id: 'app',
          code: 'c',
          client_secret: 'hush',
        })
      }
    })

    for (const form of [
      'grant_type=client_credentials&client_id=app',
      'grant_type=authorization_code&client_id=other&code=c',
      'grant_type=authorization_code&code=c',
      'grant_type=authorization_code&client_id=app&client_id=other',
      'grant_type=client_credentials&grant_type=authorization_code&client_id=app',
      'client_id=app',
      'grant_type=password&client_id=app&username=a&password=b',
    ])
      await t.test(`does not add the client secret for ${form}`, async () => {
        assert.equal((await granted(form)).get('client_secret'), null)
      })

    await t.test('accepts token requests by POST only', async () => {
      const answer = await sendRequest(url, `${SERVER}/mcp/token?grant_type=authorization_code&client_id=app`)
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'POST, OPTIONS'])
    })
  })

  await t.test('serves cached metadata while the provider is down', async () => {
    await using idp = await startProvider()
    await using daemon = await startDaemon(configuration(`${idp.base}/t`, 'keycloak'))
    const url = daemon.url('default')
    await sendRequest(url, `${SERVER}/mcp`)
    await idp[Symbol.asyncDispose]()
    assert.equal((await sendRequest(url, `${SERVER}/mcp`)).status, 200)
    const registration = await sendRequest(url, `${SERVER}/mcp/client-registration`, {
      method: 'POST',
      body: '{}',
    })
    assert.deepEqual([registration.status, json(registration).error], [503, 'temporarily_unavailable'])
  })

  await t.test('removes a valid token from requests, and nothing else', async () => {
    await using idp = await startProvider()
    await using daemon = await startDaemon(configuration(`${idp.base}/t`, ''))
    const token = idp.key.token({ iss: `${idp.base}/t`, aud: 'second', exp: secondsFromNow(60) })
    const answer = await sendRequest(daemon.url('default'), '/mcp?a=1', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'mcp-session-id': 's' },
      body: '{}',
    })
    const { target, headers, body }: Echo = echoed(answer)
    assert.deepEqual(
      [target, headers['mcp-session-id'], headers.authorization, body],
      ['/mcp?a=1', 's', undefined, '{}'],
    )
  })
})
