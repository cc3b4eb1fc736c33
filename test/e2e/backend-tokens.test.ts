import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { decodeProtectedHeader, jwtVerify, UnsecuredJWT } from 'jose'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { startTokenServer } from '../support/token-server.ts'

const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:'

const route = (name: string, host: string, auth: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    backends: [{ host: "${host}", policies: { backendAuth: ${auth} } }]`

const start = (routes: string, env: Record<string, string> = {}): Promise<Daemon> =>
  startDaemon(`${anyPorts}\ngateways: { default: { port: 0, address: 127.0.0.1 } }\nroutes:${routes}\n`, {
    env,
  })

const authorization = async (daemon: Daemon, path: string, asked: RequestParts = {}): Promise<unknown> =>
  echoed(await sendRequest(daemon.url('default'), path, asked)).headers.authorization

/** Makes the upstream accept some tokens only. */
const taking = (echo: EchoUpstream, challenge: string): void => {
  echo.status = 401
  echo.headers = { 'www-authenticate': challenge }
}

test('a client credentials token', async (t) => {
  await using echo = await startEcho('echo')
  await using tokens = await startTokenServer()
  const { host } = tokens
  await using daemon = await start(
    [
      route(
        'form',
        echo.host,
        `{ clientCredentials: { host: "${host}", path: /oauth/token, clientAuth: { clientId: "gate way", clientSecret: "s3cr3t:+" }, audiences: [api], scopes: [a, b], resources: ["https://one", "https://two"] } }`,
      ),
      route(
        'json',
        echo.host,
        `{ clientCredentials: { url: "http://${host}/oauth/token?v=2", clientAuth: { clientId: gateway, clientSecret: s3cr3t-of-json }, audiences: [api], requestFormat: json, additionalParams: { tenant: t1 } } }`,
      ),
      route(
        'wrong',
        echo.host,
        `{ clientCredentials: { url: "http://${host}/wrong", clientAuth: { clientId: gateway, clientSecret: wr0ng-s3cr3t } } }`,
      ),
      route(
        'away',
        echo.host,
        '{ clientCredentials: { url: "http://127.0.0.1:1/", clientAuth: { clientId: gateway, clientSecret: s3cr3t } } }',
      ),
      route(
        'short',
        echo.host,
        `{ clientCredentials: { url: "http://${host}/short", clientAuth: { clientId: gateway, clientSecret: s3cr3t } } }`,
      ),
      route(
        'revoked',
        echo.host,
        `{ clientCredentials: { url: "http://${host}/revoked", clientAuth: { clientId: gateway, clientSecret: s3cr3t } } }`,
      ),
    ].join(''),
  )
  const url = daemon.url('default')
  const reset = () => {
    tokens.asked.length = 0
    echo.asked.length = 0
    echo.status = 200
    echo.headers = {}
  }

  await t.test(
    'is requested once as a form, with the secret in the header, for concurrent requests',
    async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => authorization(daemon, '/form')))
      assert.deepEqual(new Set(all), new Set(['Bearer token-1']))
      assert.equal(tokens.asked.length, 1)
      const [{ target, headers, parameters }] = tokens.asked as [(typeof tokens.asked)[0]]
      assert.equal(target, '/oauth/token')
      assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
      assert.equal(headers.authorization, `Basic ${Buffer.from('gate+way:s3cr3t%3A%2B').toString('base64')}`)
      assert.deepEqual(parameters, {
        grant_type: 'client_credentials',
        audience: 'api',
        resource: ['https://one', 'https://two'],
        scope: 'a b',
      })
    },
  )

  await t.test('is requested as JSON if configured', async () => {
    reset()
    assert.equal(await authorization(daemon, '/json'), 'Bearer token-1')
    const [request] = tokens.asked
    assert.deepEqual([request?.target, request?.headers.authorization], ['/oauth/token?v=2', undefined])
    assert.deepEqual(request?.parameters, {
      grant_type: 'client_credentials',
      audience: 'api',
      tenant: 't1',
      client_id: 'gateway',
      client_secret: 's3cr3t-of-json',
    })
  })

  await t.test('is not requested again and again after a refusal', async () => {
    reset()
    tokens.answer = () => ({
      status: 401,
      body: { error: 'invalid_client', error_description: 'wr0ng-s3cr3t is wrong' },
    })
    for (let i = 0; i < 10; i++) {
      const { status, text } = await sendRequest(url, '/wrong')
      assert.equal(status, 500)
      assert.equal(text, 'backend authentication failed: the token endpoint answered 401 invalid_client')
    }
    assert.deepEqual([tokens.asked.length, echo.asked.length], [1, 0])
  })

  await t.test('fails if the token endpoint is down', async () => {
    const { status, text } = await sendRequest(url, '/away')
    assert.deepEqual(
      [status, text],
      [500, 'backend authentication failed: the token endpoint did not answer'],
    )
  })

  await t.test('is renewed when it expires', async () => {
    reset()
    tokens.answer = () => ({
      body: {
        access_token: `short-${tokens.asked.length}`,
        token_type: 'bearer',
        // The second is not renewed within the test.
        expires_in: tokens.asked.length === 1 ? 1 : 3600,
      },
    })
    assert.equal(await authorization(daemon, '/short'), 'Bearer short-1')
    const began = performance.now()
    let last: unknown = 'Bearer short-1'
    while (last === 'Bearer short-1' && performance.now() - began < 60_000)
      last = await authorization(daemon, '/short')
    assert.equal(last, 'Bearer short-2')
    assert.equal(tokens.asked.length, 2)
  })

  await t.test('is requested once more if the upstream refuses it, and the request is retried', async () => {
    reset()
    tokens.answer = () => ({
      body: { access_token: `revoked-${tokens.asked.length}`, token_type: 'bearer', expires_in: 3600 },
    })
    await authorization(daemon, '/revoked')
    taking(echo, 'Bearer realm="api", error="invalid_token"')
    const { status, headers, text } = await sendRequest(url, '/revoked', {
      method: 'POST',
      body: 'important',
    })
    assert.deepEqual(
      echo.asked.map((one) => [one.headers.authorization, one.body, one.headers['x-retry-attempt']]),
      [
        ['Bearer revoked-1', '', undefined],
        ['Bearer revoked-1', 'important', undefined],
        ['Bearer revoked-2', 'important', undefined],
      ],
    )
    assert.equal(status, 401)
    assert.equal(headers['www-authenticate'], 'Bearer realm="api", error="invalid_token"')
    assert.match(text, /revoked-2/)
    for (let i = 0; i < 10; i++) await sendRequest(url, '/revoked')
    assert.deepEqual([tokens.asked.length, echo.asked.length], [2, 13])
  })

  await t.test('does not appear in logs, dumps or traces, and neither does its secret', async () => {
    reset()
    const watcher = sendRequest(daemon.url('admin'), '/debug/trace?bodies=true')
    while (!/trace_watchers\D* 1\b/.exec((await sendRequest(daemon.url('stats'), '/metrics')).text));
    await sendRequest(url, '/form')
    const trace = (await watcher).text
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    assert.match(dump, /"clientSecret": *"<redacted>"/)
    for (const [what, text] of Object.entries({ trace, dump, log: daemon.output() }))
      assert.doesNotMatch(text, /s3cr3t|token-1\b/, what)
  })
})

test('an exchanged token', async (t) => {
  using authority = makeAuthority()
  const { cert, key } = authority.issue('gateway')
  const certificate = new X509Certificate(cert)
  await using echo = await startEcho('echo')
  await using tokens = await startTokenServer('traded')
  const to = `host: "${tokens.host}", path: /token`
  await using daemon = await start(
    [
      route('plain', echo.host, `{ oauthTokenExchange: { ${to} } }`),
      route(
        'all',
        echo.host,
        `{ oauthTokenExchange: { ${to}, audiences: [api, other], scopes: [r, w], resources: ["https://api"], requestedTokenType: "${TOKEN_TYPE}jwt", subjectToken: { source: { header: { name: x-user } }, tokenType: "${TOKEN_TYPE}id_token" }, actorToken: { source: { header: { name: x-agent } }, tokenType: "${TOKEN_TYPE}jwt", enforceMayAct: true }, clientAuth: { clientId: gw, clientSecret: s3cr3t, method: clientSecretPost }, additionalParams: { tenant: "request.headers['x-tenant']" }, authorizationLocation: { header: { name: x-token } } } }`,
      ),
      route(
        'bearer',
        echo.host,
        `{ oauthTokenExchange: { ${to}, grantType: jwtBearer, clientAuth: { clientId: gw, method: privateKeyJwt, signingKey: "$PEM", alg: ES256, assertionAudience: "https://as", kid: k1, certificate: "$CERT", certificateHeader: "x5t#S256" } } }`,
      ),
      route('each', echo.host, `{ oauthTokenExchange: { ${to}, cache: { maxEntries: 0 } } }`),
    ].join(''),
    { PEM: key, CERT: cert + authority.cert },
  )
  const url = daemon.url('default')
  const bearer = (token: string): RequestParts => ({ headers: { authorization: `Bearer ${token}` } })
  const reset = () => {
    tokens.asked.length = 0
    echo.asked.length = 0
  }

  await t.test('is requested by RFC 8693, once for each token', async () => {
    assert.equal(await authorization(daemon, '/plain', bearer('alice')), 'Bearer traded-1')
    assert.equal(await authorization(daemon, '/plain', bearer('alice')), 'Bearer traded-1')
    assert.equal(await authorization(daemon, '/plain', bearer('bob')), 'Bearer traded-2')
    assert.deepEqual(
      tokens.asked.map(({ parameters }) => parameters),
      ['alice', 'bob'].map((subject) => ({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: subject,
        subject_token_type: `${TOKEN_TYPE}access_token`,
      })),
    )
    assert.equal(tokens.asked[0]?.headers.authorization, undefined)
  })

  await t.test(
    'is requested with all configured parameters, and replaces the tokens of the client',
    async () => {
      reset()
      const subject = new UnsecuredJWT({ sub: 'alice', may_act: { sub: 'agent' } }).encode()
      const actor = new UnsecuredJWT({ sub: 'agent' }).encode()
      tokens.answer = () => ({
        body: { access_token: 'made', token_type: 'Bearer', issued_token_type: `${TOKEN_TYPE}jwt` },
      })
      const { headers } = echoed(
        await sendRequest(url, '/all', {
          headers: { 'x-user': subject, 'x-agent': actor, 'x-tenant': 't 1' },
        }),
      )
      assert.deepEqual(
        [headers['x-token'], headers['x-user'], headers['x-agent']],
        ['made', undefined, undefined],
      )
      assert.deepEqual(tokens.asked[0]?.parameters, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: subject,
        subject_token_type: `${TOKEN_TYPE}id_token`,
        actor_token: actor,
        actor_token_type: `${TOKEN_TYPE}jwt`,
        requested_token_type: `${TOKEN_TYPE}jwt`,
        audience: ['api', 'other'],
        resource: 'https://api',
        scope: 'r w',
        tenant: 't 1',
        client_id: 'gw',
        client_secret: 's3cr3t',
      })
    },
  )

  await t.test('is refused with 400 if a token of the client is missing or not allowed to act', async () => {
    reset()
    const subject = new UnsecuredJWT({ sub: 'alice', may_act: { sub: 'agent' } }).encode()
    const actor = new UnsecuredJWT({ sub: 'somebody' }).encode()
    for (const headers of [
      { 'x-user': subject, 'x-agent': actor, 'x-tenant': 't' },
      { 'x-user': subject, 'x-tenant': 't' },
      { 'x-agent': actor, 'x-tenant': 't' },
      {
        'x-user': [subject, subject],
        'x-agent': new UnsecuredJWT({ sub: 'agent' }).encode(),
        'x-tenant': 't',
      },
      { 'x-user': subject, 'x-agent': new UnsecuredJWT({ sub: 'agent' }).encode() },
    ]) {
      const { status, text } = await sendRequest(url, '/all', { headers })
      assert.deepEqual([status, text], [400, 'invalid request'])
    }
    assert.equal((await sendRequest(url, '/plain')).status, 400)
    assert.deepEqual([tokens.asked.length, echo.asked.length], [0, 0])
  })

  await t.test('is requested by RFC 7523, with a client assertion', async () => {
    reset()
    tokens.answer = () => ({ body: { access_token: 'asserted', token_type: 'bearer', expires_in: '60' } })
    assert.equal(await authorization(daemon, '/bearer', bearer('a.b.c')), 'Bearer asserted')
    const { client_assertion: assertion, ...rest } = tokens.asked[0]?.parameters ?? {}
    assert.deepEqual(rest, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'a.b.c',
      client_id: 'gw',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    const { payload } = await jwtVerify(String(assertion), certificate.publicKey, { audience: 'https://as' })
    assert.deepEqual([payload.iss, payload.sub, typeof payload.jti], ['gw', 'gw', 'string'])
    assert.deepEqual(decodeProtectedHeader(String(assertion)), {
      alg: 'ES256',
      typ: 'JWT',
      kid: 'k1',
      'x5t#S256': createHash('sha256').update(certificate.raw).digest('base64url'),
    })
  })

  await t.test(
    'is refused with 400 if the token of the client is invalid, without another request',
    async () => {
      reset()
      tokens.answer = () => ({
        status: 400,
        body: { error: 'invalid_grant', error_description: 'c4rol is gone' },
      })
      for (let i = 0; i < 5; i++) {
        const { status, text } = await sendRequest(url, '/plain', bearer('c4rol'))
        assert.deepEqual([status, text], [400, 'invalid request'])
      }
      assert.equal(tokens.asked.length, 1)
      assert.doesNotMatch(daemon.output(), /c4rol/)
    },
  )

  await t.test('is available for other clients after the server refused one', async () => {
    reset()
    tokens.answer = ({ parameters }) =>
      parameters.subject_token === 'mallory'
        ? { status: 401, body: { error: 'invalid_token' } }
        : { body: { access_token: 'traded', token_type: 'bearer' } }
    assert.equal((await sendRequest(url, '/plain', bearer('mallory'))).status, 500)
    assert.equal(await authorization(daemon, '/plain', bearer('victor')), 'Bearer traded')
  })

  for (const [what, body] of Object.entries({
    'is not JSON': 'token=1',
    'has no token': {},
    'has an empty token': { access_token: '', token_type: 'bearer' },
    'is of no type': { access_token: 'x' },
    'is not for bearers': { access_token: 'x', token_type: 'DPoP' },
    'would break a header': { access_token: 'x\r\ny: 1', token_type: 'bearer' },
  }))
    await t.test(`is refused if the response ${what}`, async () => {
      reset()
      tokens.answer = () => ({ body })
      const { status, text } = await sendRequest(url, '/each', bearer('dave'))
      assert.equal(status, 500)
      assert.match(text, /^backend authentication failed: the (token|credential) /)
      assert.equal(echo.asked.length, 0)
    })

  await t.test('is requested each time if caching is off', async () => {
    reset()
    tokens.answer = () => ({ body: { access_token: `each-${tokens.asked.length}`, token_type: 'bearer' } })
    assert.equal(await authorization(daemon, '/each', bearer('erin')), 'Bearer each-1')
    assert.equal(await authorization(daemon, '/each', bearer('erin')), 'Bearer each-2')
  })
})

test('a token that is exchanged in two steps', async (t) => {
  await using echo = await startEcho('echo')
  await using idp = await startTokenServer()
  await using server = await startTokenServer('final')
  await using daemon = await start(
    route(
      'cross',
      echo.host,
      `{ crossAppAccess: { identityProvider: { host: "${idp.host}", path: /idp, clientAuth: { clientId: at-idp, clientSecret: s1 } }, resourceAuthorizationServer: { host: "${server.host}", path: /as, clientAuth: { clientId: at-as, clientSecret: s2, method: clientSecretPost } }, audience: "https://as", resources: ["https://api"], scopes: [r, w], accessTokenScopes: [r] } }`,
    ),
  )
  const assertion = {
    body: {
      access_token: 'id-jag',
      issued_token_type: `${TOKEN_TYPE}id-jag`,
      token_type: 'N_A',
      expires_in: 300,
    },
  }
  const asked = (user: string) =>
    sendRequest(daemon.url('default'), '/cross', { headers: { authorization: `Bearer ${user}` } })

  await t.test('uses the assertion of the first server at the second one', async () => {
    idp.answer = () => assertion
    assert.equal(echoed(await asked('alice')).headers.authorization, 'Bearer final-1')
    assert.equal(echoed(await asked('alice')).headers.authorization, 'Bearer final-1')
    assert.deepEqual([idp.asked.length, server.asked.length], [1, 1])
    assert.equal(idp.asked[0]?.headers.authorization, `Basic ${Buffer.from('at-idp:s1').toString('base64')}`)
    assert.deepEqual(idp.asked[0].parameters, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'alice',
      subject_token_type: `${TOKEN_TYPE}id_token`,
      requested_token_type: `${TOKEN_TYPE}id-jag`,
      audience: 'https://as',
      resource: 'https://api',
      scope: 'r w',
    })
    assert.deepEqual(server.asked[0]?.parameters, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: 'id-jag',
      scope: 'r',
      client_id: 'at-as',
      client_secret: 's2',
    })
  })

  await t.test('fails if the first server issues another type, or the second one refuses', async () => {
    idp.answer = () => ({
      body: { access_token: 'x', issued_token_type: `${TOKEN_TYPE}jwt`, token_type: 'N_A' },
    })
    const other = await asked('bob')
    assert.deepEqual(
      [other.status, other.text],
      [500, 'backend authentication failed: the identity provider gave no ID-JAG'],
    )
    idp.answer = () => assertion
    server.answer = () => ({ status: 400, body: { error: 'invalid_grant' } })
    const refused = await asked('carol')
    assert.deepEqual(
      [refused.status, refused.text],
      [500, 'backend authentication failed: the token endpoint answered 400 invalid_grant'],
    )
    idp.answer = () => ({ status: 400, body: { error: 'invalid_grant' } })
    assert.equal((await asked('dave')).status, 400)
  })
})
