import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { CookieClient } from '../support/cookie-client.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { signIn, startProvider, testClient, type TestProvider } from '../support/identity-provider.ts'

const key = randomBytes(32).toString('hex')
const withKey = anyPorts.replace('config:\n', `config:\n  session: { key: "${key}" }\n`)

/** One gateway with login for all routes, and one with a route that has login. */
const configuration = (host: string, issuer: string, url: string, settings = withKey) => {
  const oidc = (path: string, more = '') =>
    `{ issuer: "${issuer}", clientId: ${testClient.id}, clientSecret: "${testClient.secret}", redirectURI: "${url}${path}", scopes: [profile]${more} }`
  const away =
    '{ issuer: "http://127.0.0.1:9", clientId: a, clientSecret: b, redirectURI: "http://127.0.0.1/away/back" }'
  return `${settings}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  all: { port: 0, address: 127.0.0.1${issuer === '' ? '' : `, oidc: ${oidc('/back')}`} }
routes:
  - name: app
    matches: [{ path: { pathPrefix: /app } }, { path: { exact: /back } }]
    policies:
${issuer === '' ? '' : `      oidc: ${oidc('/back')}`}
      cors: { allowOrigins: ["https://other.example"], allowMethods: [GET] }
      authorization: { rules: ["'staff' in jwt.groups && jwt.sub != 'mallory'"] }
      transformations: { request: { set: { x-sub: jwt.sub, x-name: jwt.name } } }
    backends: [{ host: "${host}" }]
  - name: away
    matches: [{ path: { pathPrefix: /away } }]
    policies: { oidc: ${away} }
    backends: [{ host: "${host}" }]
  - { name: open, matches: [{ path: { pathPrefix: /open } }], backends: [{ host: "${host}" }] }
`
}

suite('oidc', () => {
  let upstream: EchoUpstream
  let provider: TestProvider
  let daemon: Daemon
  let url: string
  const reload = async (text: string) => {
    const inForce = daemon.printed(new RegExp('configuration in force[^]*'.repeat(reloads++ + 1)))
    daemon.rewrite(text)
    await inForce
  }
  let reloads = 1

  before(async () => {
    upstream = await startEcho('upstream')
    // The redirect URI includes the port that the system chose.
    daemon = await startDaemon(configuration(upstream.host, '', ''))
    url = daemon.url('default')
    provider = await startProvider(`${url}/back`)
    await reload(configuration(upstream.host, provider.issuer, url))
  })
  after(async () => {
    await daemon.stop()
    await provider[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  test('logs a browser in, returns it to the requested page, and keeps the session', async () => {
    const browser = new CookieClient()
    browser.jar.set('127.0.0.1', new Map([['theme', { value: 'dark', path: '/' }]]))
    const answer = await signIn(browser, `${url}/app/page?a=1&b=%20`, 'alice')
    assert.equal(browser.url, `${url}/app/page?a=1&b=%20`)
    const { headers, target } = echoed(answer)
    assert.deepEqual(
      [target, headers['x-sub'], headers['x-name']],
      ['/app/page?a=1&b=%20', 'alice', 'The alice'],
    )
    assert.match(headers.cookie ?? '', /^theme=dark; _/)
    assert.doesNotMatch(headers.cookie ?? '', /agw_oidc/)
    const names = [...(browser.jar.get('127.0.0.1')?.keys() ?? [])].filter((name) => name.startsWith('agw'))
    assert.match(names.join(), /^agw_oidc_s_[0-9a-f]{16}$/)
    // Metadata, token and key set.
    const metrics = await (await fetch(`${daemon.url('stats')}/metrics`)).text()
    const calls = /call_duration_seconds_count\{kind="Policy",subtype="Oidc"\} (\d+)/.exec(metrics)?.[1]
    assert.ok(Number(calls) >= 3, calls)

    const posted = await browser.ask(`${url}/app`, { method: 'POST', body: 'a=1' })
    assert.equal(echoed(posted).headers['x-sub'], 'alice')
    const open = await browser.ask(`${url}/open`)
    assert.doesNotMatch(echoed(open).headers.cookie ?? '', /agw_oidc/)
  })

  test('replies with 403 if rules refuse the user', async () => {
    const { status, text } = await signIn(new CookieClient(), `${url}/app`, 'mallory')
    assert.deepEqual([status, text], [403, 'authorization failed'])
  })

  test('supports concurrent logins of several pages', async () => {
    const browser = new CookieClient()
    const pages = ['/app/1', '/app/2', '/app/3']
    const logins = []
    for (const page of pages) logins.push((await browser.ask(url + page)).headers.location ?? '')
    for (const [i, login] of logins.entries()) {
      const answer = await signIn(browser, login, 'alice')
      assert.equal(echoed(answer).target, pages[i])
    }
  })

  test('refuses callbacks that do not belong to a login of the browser', async () => {
    const comesBack = async (browser: CookieClient) => {
      await signIn(browser, `${url}/app`, 'alice', (next) => next.startsWith(`${url}/back`))
      return browser
    }
    const tokens = () => provider.asked.filter((target) => target === '/token').length
    const before = tokens()
    const browser = new CookieClient()
    let callback = ''
    await signIn(browser, `${url}/app`, 'alice', (next) => {
      if (!next.startsWith(`${url}/back`)) return false
      callback = next
      return true
    })
    const state = new URL(callback).searchParams.get('state') ?? ''
    const changed = Buffer.from(state, 'base64url')
      .toString()
      .replace(/.(?="}$)/, '!')
    const wrong = callback.replace(state, Buffer.from(changed).toString('base64url'))
    const victim = await comesBack(new CookieClient())
    for (const [target, who, text] of [
      [wrong, browser, 'csrf mismatch'],
      [callback, victim, 'missing transaction'],
      [callback, new CookieClient(), 'missing transaction'],
      [callback.replace(/code=[^&]*&?/, 'error=access_denied&'), victim, 'missing transaction'],
    ] as const) {
      const answer = await who.ask(target)
      assert.deepEqual([answer.status, answer.text], [400, `oidc failure: ${text}`])
      assert.equal(answer.headers['set-cookie']?.some((one) => one.startsWith('agw_oidc_s')) ?? false, false)
    }
    assert.equal(tokens(), before)
  })

  test('accepts a code once', async () => {
    const browser = new CookieClient()
    let callback = ''
    await signIn(browser, `${url}/app`, 'alice', (next) => {
      if (!next.startsWith(`${url}/back`)) return false
      callback = next
      return true
    })
    const kept = new CookieClient()
    kept.jar.set('127.0.0.1', new Map(browser.jar.get('127.0.0.1')))
    assert.equal((await browser.ask(callback)).status, 302)
    assert.equal((await browser.ask(callback)).status, 400, 'the transaction is over')
    const again = await kept.ask(callback)
    assert.deepEqual([again.status, again.text], [500, 'oidc failure: token exchange failed: invalid_grant'])
  })

  test('redirects to no other host after a login', async () => {
    const browser = new CookieClient()
    let last = ''
    const path = '//evil.example/app'
    await signIn(browser, `${daemon.url('all')}${path}`, 'alice', (next) => {
      last = next
      return next.endsWith(path)
    })
    assert.equal(last, `${url}${path}`)
  })

  test('of a gateway redirects before a route is chosen', async () => {
    const { status, headers } = await sendRequest(daemon.url('all'), '/nothing/here')
    assert.equal(status, 302)
    assert.ok(headers.location?.startsWith(`${provider.issuer}/auth?`))
  })

  test('does not apply to preflight requests', async () => {
    const { status, headers } = await sendRequest(url, '/app', {
      method: 'OPTIONS',
      headers: { origin: 'https://other.example', 'access-control-request-method': 'GET' },
    })
    assert.deepEqual([status, headers['access-control-allow-origin']], [200, 'https://other.example'])
  })

  test('replies to a POST with 401 instead of a redirect', async () => {
    const { status, text, headers } = await sendRequest(url, '/app', { method: 'POST', body: 'a' })
    assert.deepEqual(
      [status, text, headers['www-authenticate']],
      [401, 'oidc failure: authentication required', 'OpenID'],
    )
  })

  test('keeps sessions over a reload, and at another gateway with the same key', async () => {
    const browser = new CookieClient()
    await signIn(browser, `${url}/app`, 'alice')
    const cookie = browser.cookies('127.0.0.1', '/app')
    await reload(
      configuration(upstream.host, provider.issuer, url).replace('pathPrefix: /open', 'pathPrefix: /opened'),
    )
    assert.equal((await sendRequest(url, '/app', { headers: { cookie } })).status, 200)
    await reload(configuration(upstream.host, provider.issuer, url))

    const sames = await startDaemon(configuration(upstream.host, provider.issuer, url))
    const others = await startDaemon(configuration(upstream.host, provider.issuer, url, anyPorts))
    try {
      assert.equal((await sendRequest(sames.url('default'), '/app', { headers: { cookie } })).status, 200)
      assert.equal((await sendRequest(others.url('default'), '/app', { headers: { cookie } })).status, 302)
    } finally {
      // The log is complete by then.
      await sames.stop()
      await others.stop()
    }
    assert.doesNotMatch(sames.output(), /session\.key/)
    assert.equal(others.output().match(/config\.session\.key is not set/g)?.length, 1)
  })

  test('keeps sessions while the provider is down, and fails new logins only', async () => {
    const signedIn = new CookieClient()
    await signIn(signedIn, `${url}/app`, 'alice')
    const begun = new CookieClient()
    let callback = ''
    await signIn(begun, `${url}/app`, 'alice', (next) => {
      if (!next.startsWith(`${url}/back`)) return false
      callback = next
      return true
    })
    await provider.goAway()
    assert.equal((await signedIn.ask(`${url}/app`)).status, 200)
    const cut = await begun.ask(callback)
    assert.deepEqual([cut.status, cut.text], [500, 'oidc failure: the identity provider did not answer'])
    const never = await sendRequest(url, '/away')
    assert.deepEqual([never.status, never.text], [500, 'oidc failure: the identity provider cannot be asked'])
    assert.equal((await sendRequest(url, '/open')).status, 200)
    await provider.comeBack()
    assert.equal((await begun.ask(callback)).status, 302)
  })

  test('keeps its secrets out of dump and log', async () => {
    const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
    assert.match(text, /"clientId": ?"gateway"/)
    for (const secret of [testClient.secret, key]) {
      assert.equal(text.includes(secret), false)
      assert.equal(daemon.output().includes(secret), false)
    }
    assert.equal(/[?&]code=(?!<redacted>)/.exec(daemon.output()), null)
  })
})
