import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { of } from 'rxjs'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { oidc, type OidcOptions } from '../../../src/operators/oidc/oidc.ts'
import { Keyring } from '../../../src/protocols/seal/aead-keyring.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'
import type { IdTokenClaims, LoginSecrets } from '../../../src/upstream/oidc/oidc-client.ts'
import { LoginFailure } from '../../../src/upstream/oidc/login-failure.ts'

const ID = '0123456789abcdef'
const SESSION = `agw_oidc_s_${ID}`
const issuer = 'https://idp.test'
const ring = new Keyring([randomBytes(32)])
let nowMs = 1_700_000_000_000
const nowS = () => nowMs / 1000

/** Requests to the provider. */
const asked: { secrets: LoginSecrets; challenge?: string; query?: string }[] = []
const claims = (): IdTokenClaims => ({ sub: 'alice', groups: ['staff'], exp: nowS() + 600 })

const policy = (parts: Partial<OidcOptions> = {}) =>
  oidc({
    policy: { id: ID, issuer, redirectUri: 'https://app.test/callback', callbackPath: '/callback' },
    provider: {
      loginUrl: (secrets, challenge) => {
        asked.push({ secrets, challenge })
        return 'https://idp.test/login'
      },
      redeem: (query, secrets) => {
        asked.push({ secrets, query })
        return Promise.resolve(claims())
      },
    },
    ring,
    nowMs: () => nowMs,
    ...parts,
  })

const setCookies = (x: ReturnType<typeof exchange>): string[] => x.reply?.headers.all('set-cookie') ?? []
const pairOf = (setCookie = ''): string => setCookie.split(';', 1)[0] ?? ''
const location = (x: ReturnType<typeof exchange>) => x.reply?.headers.get('location')

/** Begins a login: its state, and the cookie of the browser. */
const begun = (path = '/app?a=1', operator = policy()) => {
  const x = run(operator, exchange({ path }))
  const { state = '' } = asked.at(-1)?.secrets ?? {}
  return { x, state, cookie: pairOf(setCookies(x)[0]) }
}

/** Returns from the provider. */
const back = async (
  query: string,
  cookie: string | readonly string[],
  operator = policy(),
  parts: ExchangeOverrides = {},
) => {
  const x = exchange({ path: `/callback${query}`, headers: { cookie }, ...parts })
  await new Promise<void>((resolve, reject) => {
    operator(of(x)).subscribe({ complete: resolve, error: reject })
  })
  return x
}

test('oidc', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(policy()))

  await t.test('redirects a browser without a session to the provider, and stores the original URL', () => {
    for (const method of ['GET', 'HEAD']) {
      const x = run(policy(), exchange({ method, path: '/app?a=1' }))
      assert.deepEqual(
        [x.reply?.status, location(x), x.reply?.reason, x.reply?.headers.get('cache-control')],
        [302, 'https://idp.test/login', 'Oidc', 'no-store'],
      )
      const { secrets, challenge } = asked.at(-1) ?? {}
      assert.equal(challenge, hash('sha256', secrets?.verifier ?? '', 'base64url'))
      const state = JSON.parse(Buffer.from(secrets?.state ?? '', 'base64url').toString()) as object
      assert.deepEqual(Object.keys(state), ['transactionId', 'csrfState'])
      assert.match(
        setCookies(x).join('\n'),
        /^agw_oidc_t_0123456789abcdef\.[\w-]{22}=[\w-]+; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      )
    }
  })

  await t.test('sets cookies over plain HTTP if the redirect address has that scheme', () => {
    const plain = { id: ID, issuer, redirectUri: 'http://app.test/callback', callbackPath: '/callback' }
    assert.doesNotMatch(setCookies(begun('/', policy({ policy: plain })).x).join(), /Secure/)
  })

  await t.test('creates new secrets for each login', () => {
    begun()
    begun()
    const values = asked
      .slice(-2)
      .flatMap(({ secrets: { state, nonce, verifier } }) => [state, nonce, verifier])
    assert.equal(new Set(values).size, 6)
  })

  await t.test('creates a session after the login, redirects back, and accepts it from then on', async () => {
    const { state, cookie } = begun('/app?a=1&b=//x')
    const { secrets } = asked.at(-1) ?? {}
    const x = await back(`?code=abc&state=${state}`, cookie)
    assert.deepEqual([x.reply?.status, location(x)], [302, 'https://app.test/app?a=1&b=//x'])
    assert.deepEqual(asked.at(-1), { secrets, query: `?code=abc&state=${state}` })
    const [session = '', over = '', ...more] = setCookies(x)
    assert.match(
      session,
      new RegExp(`^${SESSION}=[\\w-]+; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure$`),
    )
    assert.match(over, /^agw_oidc_t_0123456789abcdef\.[\w-]{22}=; Max-Age=0; /)
    assert.deepEqual(more, [])

    const operator = policy()
    const passing = () =>
      run(operator, exchange({ method: 'POST', headers: { cookie: `a=1; ${pairOf(session)}` } }))
    const first = passing()
    assert.equal(first.reply, undefined)
    assert.deepEqual(first.identity.jwt, claims())
    assert.equal(passing().identity.jwt, first.identity.jwt)
  })

  await t.test('keeps a session as long as the token is valid, and an hour at most', async () => {
    const signIn = async (exp: number) => {
      const { state, cookie } = begun()
      const redeem = () => Promise.resolve({ sub: 'alice', exp })
      const operator = policy({ provider: { loginUrl: () => '', redeem } })
      return setCookies(await back(`?code=a&state=${state}`, cookie, operator))[0] ?? ''
    }
    const long = await signIn(nowS() + 90_000)
    assert.match(long, /Max-Age=3600/)
    const short = await signIn(nowS() + 60)
    assert.match(short, /Max-Age=60/)
    const operator = policy()
    const passes = (session: string) =>
      run(operator, exchange({ headers: { cookie: pairOf(session) } })).reply === undefined
    assert.deepEqual([passes(long), passes(short)], [true, true])
    nowMs += 61_000
    assert.deepEqual([passes(long), passes(short)], [true, false])
    nowMs += 3_600_000
    assert.equal(passes(long), false)
  })

  await t.test('replies 401 to requests that cannot be repeated after the login', () => {
    const requests: ExchangeOverrides[] = [
      { method: 'POST' },
      { method: 'DELETE' },
      { method: 'OPTIONS' },
      { upgrade: 'websocket' },
    ]
    for (const request of requests) {
      const { reply } = run(policy(), exchange(request))
      assert.deepEqual(
        [reply?.status, reply?.code, reply?.error, reply?.headers.get('www-authenticate')],
        [401, 'oidc_unauthenticated', 'oidc failure: authentication required', 'OpenID'],
      )
    }
  })

  await t.test('lets preflight requests pass, and nothing similar', () => {
    const asks = { origin: 'https://other.test', 'access-control-request-method': 'POST' }
    assert.equal(run(policy(), exchange({ method: 'OPTIONS', headers: asks })).reply, undefined)
    assert.equal(run(policy(), exchange({ method: 'GET', headers: asks })).reply?.status, 302)
    const { origin } = asks
    assert.equal(run(policy(), exchange({ method: 'OPTIONS', headers: { origin } })).reply?.status, 401)
  })

  await t.test("treats the redirect address like any other path without the provider's parameters", () => {
    for (const path of ['/callback', '/callback?code=a', '/callback?state=a', '/callback/x?code=a&state=b'])
      assert.equal(run(policy(), exchange({ path })).reply?.status, 302)
    const posted = exchange({ method: 'POST', path: '/callback?code=a&state=b' })
    assert.equal(run(policy(), posted).reply?.status, 401)
  })

  await t.test('redirects only to its own host', async () => {
    for (const path of ['//evil.test/a', '/\\evil.test', '/%09/evil.test', '///evil.test?a=//b']) {
      const { state, cookie } = begun(path)
      const x = await back(`?code=a&state=${state}`, cookie)
      assert.equal(location(x), `https://app.test${path}`)
      assert.equal(new URL(location(x) ?? '').origin, 'https://app.test')
    }
  })

  await t.test('evicts the oldest logins of a browser that begins very many', () => {
    const names = Array.from({ length: 10 }, (_, i) => `agw_oidc_t_${ID}.${String(i)}`)
    const cookie = ['a=1', ...names.map((name) => `${name}=x`), 'agw_oidc_t_fedcba9876543210.1=x'].join('; ')
    const [, ...forgotten] = setCookies(run(policy(), exchange({ headers: { cookie } })))
    assert.deepEqual(
      forgotten.map(pairOf),
      names.slice(0, 3).map((name) => `${name}=`),
    )
  })
})

test('a callback that does not match its login is refused', async (t) => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decoded = (state: string) =>
    JSON.parse(Buffer.from(state, 'base64url').toString()) as { transactionId: string; csrfState: string }
  const flipped = (text: string) => text.slice(0, -6) + (text.at(-6) === 'A' ? 'B' : 'A') + text.slice(-5)

  type Login = ReturnType<typeof begun>
  const tampered: readonly (readonly [
    what: string,
    (login: Login) => readonly [query: string, cookie: string],
    text: string,
  ])[] = [
    ['no cookie', ({ state }) => [`?code=a&state=${state}`, ''], 'missing transaction'],
    [
      'the cookie of another login',
      ({ state }) => [`?code=a&state=${state}`, begun().cookie],
      'missing transaction',
    ],
    [
      'a changed cookie',
      ({ state, cookie }) => [`?code=a&state=${state}`, flipped(cookie)],
      'missing transaction',
    ],
    [
      'a cookie of another login under the name of this',
      ({ state, cookie }) => [
        `?code=a&state=${state}`,
        `${cookie.split('=')[0] ?? ''}=${begun().cookie.split('=')[1] ?? ''}`,
      ],
      'csrf mismatch',
    ],
    ['no state at all', ({ cookie }) => ['?code=a&state=', cookie], 'invalid state'],
    ['a state that is no JSON', ({ cookie }) => ['?code=a&state=abc', cookie], 'invalid state'],
    ['a state that is null', ({ cookie }) => [`?code=a&state=${encode(null)}`, cookie], 'invalid state'],
    [
      'a state with numbers',
      ({ cookie }) => [`?code=a&state=${encode({ transactionId: 1, csrfState: 2 })}`, cookie],
      'invalid state',
    ],
    [
      'a state whose id would be another cookie',
      ({ cookie }) => [`?code=a&state=${encode({ transactionId: 'a; b', csrfState: 'c' })}`, cookie],
      'invalid state',
    ],
    [
      'the csrf part of another login',
      ({ state, cookie }) => [
        `?code=a&state=${encode({ ...decoded(state), csrfState: decoded(begun().state).csrfState })}`,
        cookie,
      ],
      'csrf mismatch',
    ],
    [
      'a csrf part of as many characters and more bytes',
      ({ state, cookie }) => [
        `?code=a&state=${encode({ ...decoded(state), csrfState: 'é'.repeat(43) })}`,
        cookie,
      ],
      'csrf mismatch',
    ],
    [
      'two states',
      ({ state, cookie }) => [`?code=a&state=${state}&state=${state}`, cookie],
      'invalid callback',
    ],
    ['two codes', ({ state, cookie }) => [`?code=a&code=b&state=${state}`, cookie], 'invalid callback'],
    ['a token', ({ state, cookie }) => [`?code=a&state=${state}&id_token=b`, cookie], 'invalid callback'],
    [
      'another issuer',
      ({ state, cookie }) => [`?code=a&state=${state}&iss=https://evil.test`, cookie],
      'issuer mismatch',
    ],
    [
      'a refusal',
      ({ state, cookie }) => [`?error=access_denied&state=${state}`, cookie],
      'provider error: access_denied',
    ],
    [
      'a refusal with a custom error code',
      ({ state, cookie }) => [`?error=Call+0900&state=${state}`, cookie],
      'provider error',
    ],
  ]
  for (const [what, tamper, text] of tampered) {
    await t.test(what, async () => {
      const [query, cookie] = tamper(begun())
      const before = asked.length
      const { reply } = await back(query, cookie)
      assert.deepEqual(
        [reply?.status, reply?.reason, reply?.code, reply?.error],
        [400, 'Oidc', 'oidc_callback_refused', `oidc failure: ${text}`],
      )
      assert.equal(asked.length, before, 'the provider was asked')
      assert.doesNotMatch(reply?.headers.all('set-cookie').join() ?? '', /agw_oidc_s_/)
    })
  }

  await t.test('after five minutes', async () => {
    const { state, cookie } = begun()
    nowMs += 301_000
    const { reply } = await back(`?code=a&state=${state}`, cookie)
    assert.deepEqual([reply?.status, reply?.error], [400, 'oidc failure: transaction expired'])
  })

  await t.test('with a login of another policy', async () => {
    const other = {
      id: 'fedcba9876543210',
      issuer,
      redirectUri: 'https://app.test/callback',
      callbackPath: '/callback',
    }
    const { state, cookie } = begun('/', policy({ policy: other }))
    const query = `?code=a&state=${state}`
    assert.equal((await back(query, cookie)).reply?.status, 400)
    assert.equal((await back(query, cookie.replace(other.id, ID))).reply?.status, 400)
  })

  await t.test('with an ID token of another login', async () => {
    const { state, cookie } = begun()
    const redeem = () => Promise.reject(new LoginFailure('nonce', 'nonce mismatch', undefined))
    const operator = policy({ provider: { loginUrl: () => '', redeem } })
    const { reply } = await back(`?code=a&state=${state}`, cookie, operator)
    assert.deepEqual([reply?.status, reply?.error], [400, 'oidc failure: nonce mismatch'])
  })

  await t.test('but not because another site planted a cookie', async () => {
    const { state, cookie } = begun()
    const planted = `${cookie.split('=')[0] ?? ''}=planted`
    const x = await back(`?code=a&state=${state}`, `${planted}; ${cookie}`)
    assert.equal(location(x), 'https://app.test/app?a=1')
  })
})

test('a session is not accepted', async (t) => {
  const { state, cookie } = begun()
  const session = pairOf(setCookies(await back(`?code=a&state=${state}`, cookie))[0])
  const value = session.slice(SESSION.length + 1)
  const refused: readonly (readonly [what: string, cookie: string, operator?: ReturnType<typeof policy>])[] =
    [
      ['without its cookie', 'a=1'],
      ['with an empty one', `${SESSION}=`],
      ['with a changed one', `${SESSION}=${value.slice(0, -2)}${value.endsWith('AA') ? 'BB' : 'AA'}`],
      ['with a shorter one', `${SESSION}=${value.slice(0, -4)}`],
      ['under another name', `agw_oidc_s_fedcba9876543210=${value}`],
      ['with the cookie of a login', `${SESSION}=${begun().cookie.split('=')[1] ?? ''}`],
      ['sealed by another', session, policy({ ring: new Keyring([randomBytes(32)]) })],
      [
        'at another policy',
        `agw_oidc_s_fedcba9876543210=${value}`,
        policy({
          policy: { id: 'fedcba9876543210', issuer, redirectUri: 'https://app.test/cb', callbackPath: '/cb' },
        }),
      ],
    ]
  assert.equal(run(policy(), exchange({ headers: { cookie: session } })).reply, undefined)
  for (const [what, sent, operator = policy()] of refused) {
    await t.test(what, () => {
      const x = run(operator, exchange({ headers: { cookie: sent } }))
      assert.deepEqual([x.reply?.status, x.identity], [302, {}])
    })
  }
})

test('a failed login is a fault with a code, and exposes nothing of the library', async (t) => {
  const failing = (failure: unknown) =>
    policy({
      provider: {
        loginUrl: () => Promise.reject(failure),
        redeem: () => Promise.reject(failure),
      },
    })
  const fault = async (code: string, message: string, act: () => Promise<unknown>) => {
    await assert.rejects(act, (error) => {
      assert.ok(error instanceof Fault)
      assert.deepEqual([error.code, error.message, error.status, error.reason], [code, message, 500, 'Oidc'])
      return true
    })
  }

  for (const [kind, code] of [
    ['provider', 'oidc_provider_failed'],
    ['token', 'oidc_token_exchange_failed'],
    ['id_token', 'oidc_id_token_invalid'],
  ] as const) {
    await t.test(code, async () => {
      const { state, cookie } = begun()
      const operator = failing(new LoginFailure(kind, 'a reason', new Error('ECONNREFUSED')))
      await fault(code, 'oidc failure: a reason', () => back(`?code=a&state=${state}`, cookie, operator))
    })
  }

  await t.test('a provider that is unavailable', async () => {
    const operator = failing(new LoginFailure('provider', 'secret', undefined))
    await fault('oidc_provider_failed', 'oidc failure: the identity provider cannot be asked', () =>
      back('', '', operator, { path: '/app' }),
    )
  })

  await t.test('claims that do not fit into a cookie', async () => {
    const { state, cookie } = begun()
    const redeem = () => Promise.resolve({ exp: nowS() + 60, groups: Array(400).fill('a-group') as string[] })
    const operator = policy({ provider: { loginUrl: () => '', redeem } })
    await fault('oidc_cookie_too_large', 'oidc failure: cookie too large', () =>
      back(`?code=a&state=${state}`, cookie, operator),
    )
  })

  await t.test('an original URL that is too long', async () => {
    await fault('oidc_cookie_too_large', 'oidc failure: cookie too large', () =>
      back('', '', policy(), { path: `/${'a'.repeat(4000)}` }),
    )
  })
})
