import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import type { Oidc } from '../../../src/operators/oidc/schema.ts'
import {
  IdentityProvider,
  type IdentityProviderOptions,
} from '../../../src/upstream/oidc/identity-provider.ts'
import { LoginFailure } from '../../../src/upstream/oidc/login-failure.ts'
import { startTokenServer, type TokenReply } from '../../support/token-server.ts'
import { keySetOf, part, secondsFromNow, signer } from '../../support/tokens.ts'

const secrets = { state: 'the-state', nonce: 'the-nonce', verifier: 'v'.repeat(43) }
const query = '?code=the-code&state=the-state'
const key = signer('first', 'RS256')
const stranger = signer('first', 'RS256')

const server = await startTokenServer()
after(() => server[Symbol.asyncDispose]())
const issuer = `http://${server.host}`
const claims = {
  iss: issuer,
  aud: 'gateway',
  sub: 'alice',
  nonce: 'the-nonce',
  iat: secondsFromNow(0),
  exp: secondsFromNow(600),
}
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize?tenant=1`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  id_token_signing_alg_values_supported: ['HS256', 'none', 'RS256', 'ES256'],
}
/** The responses of the provider, by path. */
const pages: Record<string, () => TokenReply | Promise<TokenReply>> = {}
server.answer = ({ target }) => pages[target]?.() ?? { status: 404, body: {} }
const usual = () => {
  pages['/.well-known/openid-configuration'] = () => ({ body: metadata })
  pages['/keys'] = () => ({ body: keySetOf(key) })
  pages['/token'] = () => ({ body: { access_token: 'a', token_type: 'Bearer', id_token: key.token(claims) } })
}
usual()
const gives = (idToken: string | undefined) => {
  pages['/token'] = () => ({ body: { access_token: 'a', token_type: 'Bearer', id_token: idToken } })
}

const policy: Oidc = {
  id: '0123456789abcdef',
  issuer,
  clientId: 'gateway',
  clientSecret: { secret: 's3cret: a+b' },
  redirectUri: 'https://app.test/callback',
  callbackPath: '/callback',
  scopes: ['profile', 'email'],
  endpoints: { kind: 'discovered', url: `${issuer}/.well-known/openid-configuration` },
  tokenEndpointAuth: 'clientSecretBasic',
}

/** A provider for the duration of one test. */
const withProvider = async (
  parts: Partial<Oidc>,
  act: (provider: IdentityProvider) => Promise<void>,
  options: IdentityProviderOptions = {},
) => {
  const provider = new IdentityProvider(
    { ...policy, ...parts },
    { timeoutMs: 2_000, failureMs: 0, ...options },
  )
  try {
    await act(provider)
  } finally {
    await provider.close()
    usual()
  }
}
const fails = async (kind: string, message: string, promise: Promise<unknown>) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof LoginFailure)
    assert.deepEqual([error.kind, error.message], [kind, message])
    return true
  })

test("a browser is redirected to the provider's endpoint, with the parameters of OpenID Connect", () =>
  withProvider({}, async (provider) => {
    const url = new URL(await provider.loginUrl(secrets, 'the-challenge'))
    assert.equal(url.origin + url.pathname, `${issuer}/authorize`)
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      tenant: '1',
      response_type: 'code',
      client_id: 'gateway',
      redirect_uri: 'https://app.test/callback',
      scope: 'openid profile email',
      state: 'the-state',
      nonce: 'the-nonce',
      code_challenge: 'the-challenge',
      code_challenge_method: 'S256',
    })
    assert.equal(typeof provider.loginUrl(secrets, 'the-challenge'), 'string', 'known by now')
  }))

test('a code is exchanged for claims, with the verifier and the secret', async (t) => {
  for (const [how, authorization, sent] of [
    ['clientSecretBasic', `Basic ${Buffer.from('gateway:s3cret%3A+a%2Bb').toString('base64')}`, undefined],
    ['clientSecretPost', undefined, 's3cret: a+b'],
  ] as const) {
    await t.test(how, () =>
      withProvider({ tokenEndpointAuth: how }, async (provider) => {
        assert.deepEqual(await provider.redeem(query, secrets), claims)
        const request = server.asked.findLast(({ target }) => target === '/token')
        assert.equal(request?.headers.authorization, authorization)
        const { client_id: _, client_secret: secret, ...parameters } = request?.parameters ?? {}
        assert.equal(secret, sent)
        assert.deepEqual(parameters, {
          grant_type: 'authorization_code',
          code: 'the-code',
          redirect_uri: 'https://app.test/callback',
          code_verifier: secrets.verifier,
        })
      }),
    )
  }
})

test('an ID token is refused', async (t) => {
  const encoded = (header: object, payload: object = claims) => `${part(header)}.${part(payload)}`
  const hmac = (input: string, secret: string) =>
    `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const good = key.token(claims)
  const hostile: Readonly<Record<string, string | undefined>> = {
    'that is not there': undefined,
    'that is no token': 'abc',
    'without a signature': `${encoded({ alg: 'none' })}.`,
    'whose signature was cut off': good.slice(0, good.lastIndexOf('.') + 1),
    'that claims to have none': good.replace(/^[^.]+/, part({ alg: 'None', kid: 'first' })),
    'of another key with the same key id': stranger.token(claims),
    'signed with the secret of the client': hmac(encoded({ alg: 'HS256' }), policy.clientSecret.secret),
    'signed with the public key as a secret': hmac(encoded({ alg: 'HS256', kid: 'first' }), publicPem),
    'with an unknown key': signer('second', 'RS256').token(claims),
    'that brings its own key': stranger.token(claims, { jwk: stranger.jwk, kid: 'third' }),
    'of another algorithm than its key': signer('first', 'ES256').token(claims),
    'that was changed': good.replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'root' })}.`),
    'of another issuer': key.token({ ...claims, iss: 'https://evil.test' }),
    'of an issuer that begins alike': key.token({ ...claims, iss: `${issuer}/` }),
    'for another audience': key.token({ ...claims, aud: 'other' }),
    'for several, and made for another': key.token({ ...claims, aud: ['gateway', 'other'], azp: 'other' }),
    'without an audience': key.token({ ...claims, aud: undefined }),
    'that has expired': key.token({ ...claims, exp: secondsFromNow(-90) }),
    'that never expires': key.token({ ...claims, exp: undefined }),
    'that expires at a text': key.token({ ...claims, exp: 'tomorrow' }),
    'of the future': key.token({ ...claims, nbf: secondsFromNow(90) }),
    'without a time': key.token({ ...claims, iat: undefined }),
    'about no subject': key.token({ ...claims, sub: undefined }),
    'with an unknown extension': key.token(claims, { crit: ['x'], x: 1 }),
  }
  for (const [what, token] of Object.entries(hostile)) {
    await t.test(what, () =>
      withProvider({}, async (provider) => {
        gives(token)
        await fails('id_token', 'invalid ID token', provider.redeem(query, secrets))
      }),
    )
  }

  for (const [what, nonce] of [
    ['of another login', 'another'],
    ['without a nonce', undefined],
  ] as const) {
    await t.test(what, () =>
      withProvider({}, async (provider) => {
        gives(key.token({ ...claims, nonce }))
        const { kind } = await provider.redeem(query, secrets).then(
          () => ({ kind: 'none' }),
          (failure: unknown) => failure as LoginFailure,
        )
        assert.ok(kind === 'nonce' || (nonce === undefined && kind === 'id_token'), kind)
      }),
    )
  }

  await t.test('but not with a small clock skew', () =>
    withProvider({}, async (provider) => {
      gives(key.token({ ...claims, exp: secondsFromNow(-30) }))
      assert.equal((await provider.redeem(query, secrets)).sub, 'alice')
    }),
  )
})

test('a provider without a token is a failure with its own code', async (t) => {
  const answers: readonly (readonly [what: string, answer: TokenReply, kind: string, message: string])[] = [
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_grant' } },
      'token',
      'token exchange failed: invalid_grant',
    ],
    ['a refusal in a text', { status: 400, body: { error: 'Call 0900!' } }, 'token', 'token exchange failed'],
    ['no JSON', { body: '<html>' }, 'token', 'token exchange failed'],
    ['a redirect', { status: 302, body: {} }, 'token', 'token exchange failed'],
    ['an error', { status: 500, body: {} }, 'token', 'token exchange failed'],
  ]
  for (const [what, answer, kind, message] of answers) {
    await t.test(what, () =>
      withProvider({}, async (provider) => {
        pages['/token'] = () => answer
        await fails(kind, message, provider.redeem(query, secrets))
      }),
    )
  }

  await t.test('no response', () =>
    withProvider({}, async (provider) => {
      pages['/token'] = () => new Promise(() => undefined)
      await fails('provider', 'the identity provider did not answer', provider.redeem(query, secrets))
    }),
  )

  await t.test('a response beyond the limit', () =>
    withProvider({}, async (provider) => {
      pages['/token'] = () => ({ body: JSON.stringify('x'.repeat(1_100_000)) })
      await fails('provider', 'the identity provider did not answer', provider.redeem(query, secrets))
    }),
  )
})

test('invalid metadata prevent a login', async (t) => {
  const bad: readonly (readonly [what: string, answer: TokenReply])[] = [
    ['of another issuer', { body: { ...metadata, issuer: 'https://evil.test' } }],
    ['of the issuer with a slash', { body: { ...metadata, issuer: `${issuer}/` } }],
    ['that are no JSON', { body: '<html>' }],
    ['that are null', { body: 'null' }],
    ['without a token endpoint', { body: { ...metadata, token_endpoint: undefined } }],
    ['with an endpoint that is no address', { body: { ...metadata, authorization_endpoint: '/authorize' } }],
    [
      'with secret signatures only',
      { body: { ...metadata, id_token_signing_alg_values_supported: ['HS256', 'none'] } },
    ],
    ['with a script to log in at', { body: { ...metadata, authorization_endpoint: 'javascript:alert(1)' } }],
    ['that are not there', { status: 404, body: metadata }],
    ['that are elsewhere', { status: 302, body: metadata }],
  ]
  for (const [what, answer] of bad) {
    await t.test(what, () =>
      withProvider({}, async (provider) => {
        pages['/.well-known/openid-configuration'] = () => answer
        await fails(
          'provider',
          'the identity provider cannot be asked',
          Promise.resolve(provider.loginUrl(secrets, 'c')),
        )
      }),
    )
  }
})

test('a provider that was unavailable', async (t) => {
  await t.test('is called again, and reported', async () => {
    const reported: string[] = []
    const report = {
      ready: () => void reported.push('ready'),
      failed: (error: string) => void reported.push(error),
      end: () => void reported.push('end'),
    }
    pages['/.well-known/openid-configuration'] = () => ({ status: 503, body: {} })
    await withProvider(
      {},
      async (provider) => {
        const url = () => Promise.resolve(provider.loginUrl(secrets, 'c'))
        await fails('provider', 'the identity provider cannot be asked', url())
        usual()
        assert.match(await url(), /^http/)
      },
      { report },
    )
    assert.deepEqual(reported, ['it answered with status 503', 'ready', 'end'])
  })

  await t.test('is called once for concurrent logins, and not again at once', async () => {
    pages['/.well-known/openid-configuration'] = () => ({ status: 503, body: {} })
    const before = server.asked.length
    await withProvider(
      {},
      async (provider) => {
        const all = Array.from({ length: 50 }, () => Promise.resolve(provider.loginUrl(secrets, 'c')))
        assert.ok((await Promise.allSettled(all)).every(({ status }) => status === 'rejected'))
        await assert.rejects(Promise.resolve(provider.loginUrl(secrets, 'c')))
      },
      { failureMs: 60_000 },
    )
    assert.equal(server.asked.length - before, 1)
  })

  await t.test('is called again in the background, and its old metadata are used until then', () =>
    withProvider(
      {},
      async (provider) => {
        await provider.loginUrl(secrets, 'c')
        pages['/.well-known/openid-configuration'] = () => ({ status: 503, body: {} })
        const before = server.asked.length
        assert.equal(typeof provider.loginUrl(secrets, 'c'), 'string')
        while (server.asked.length === before) await new Promise(setImmediate)
        assert.equal(typeof provider.loginUrl(secrets, 'c'), 'string')
      },
      { refreshMs: 0 },
    ),
  )
})

test('a provider can be configured without metadata', async (t) => {
  const endpoints = {
    kind: 'given',
    authorizationEndpoint: `${issuer}/in`,
    tokenEndpoint: `${issuer}/token`,
  } as const
  const inline = { kind: 'inline', text: keySetOf(key) } as const
  const remote = { kind: 'url', url: `${issuer}/keys`, required: false } as const
  for (const jwks of [inline, remote]) {
    await t.test(`with keys ${jwks.kind}`, () =>
      withProvider({ endpoints: { ...endpoints, jwks } }, async (provider) => {
        delete pages['/.well-known/openid-configuration']
        assert.match(await provider.loginUrl(secrets, 'c'), new RegExp(`^${issuer}/in\\?`))
        assert.deepEqual(await provider.redeem(query, secrets), claims)
        gives(stranger.token(claims))
        await fails('id_token', 'invalid ID token', provider.redeem(query, secrets))
      }),
    )
  }
})
