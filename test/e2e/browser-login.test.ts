import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium } from 'playwright-core'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'
import { startProvider, testClient } from '../support/identity-provider.ts'
import { findProgram } from '../support/find-program.ts'

const program = findProgram('chromium', 'chromium-browser', 'google-chrome')

test('an OIDC login with Chromium', { skip: program === undefined && 'there is no chromium' }, async (t) => {
  await using upstream = await startEcho('upstream')
  const configuration = (oidc: string) => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies:
      ${oidc}
      transformations: { request: { set: { x-sub: jwt.sub } } }
    backends: [{ host: "${upstream.host}" }]
`
  await using daemon = await startDaemon(configuration(''))
  const url = daemon.url('default')
  await using provider = await startProvider(`${url}/callback`)
  const inForce = daemon.printed(/configuration in force[^]*configuration in force/)
  daemon.rewrite(
    configuration(
      `oidc: { issuer: "${provider.issuer}", clientId: ${testClient.id}, clientSecret: "${testClient.secret}", redirectURI: "${url}/callback" }`,
    ),
  )
  await inForce
  const browser = await chromium.launch({
    executablePath: program ?? '',
    // Containers provide neither user namespaces nor shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
  t.after(() => browser.close())
  const context = await browser.newContext()
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()

  await t.test('redirects to the provider, and back to the requested page', async () => {
    await page.goto(`${url}/app/page?a=1`)
    assert.equal(new URL(page.url()).origin, provider.issuer)
    await page.locator('[name=login]').fill('alice')
    await page.locator('[name=password]').fill('any')
    await page.locator('[type=submit]').click()
    await page.locator('[type=submit]', { hasText: 'Continue' }).click()
    await page.waitForURL(`${url}/app/page?a=1`)
    const echo = JSON.parse(await page.locator('body').innerText()) as { headers: Record<string, string> }
    assert.equal(echo.headers['x-sub'], 'alice')
    assert.doesNotMatch(echo.headers.cookie ?? '', /agw_oidc/)
  })

  await t.test('sets a cookie that scripts cannot read and other sites cannot use', async () => {
    const [cookie, ...more] = (await context.cookies(url)).filter(({ name }) => name.startsWith('agw_oidc'))
    assert.deepEqual(more, [])
    assert.deepEqual(
      [cookie?.httpOnly, cookie?.sameSite, cookie?.path, cookie?.secure],
      [true, 'Lax', '/', false],
    )
    assert.doesNotMatch(await page.evaluate<string>('document.cookie'), /agw_oidc/)
  })

  await t.test('is valid for other pages, and for scripts of a page', async () => {
    const second = await context.newPage()
    const answer = await second.goto(`${url}/other`)
    assert.equal(answer?.status(), 200)
    const script = `fetch('/api', { method: 'POST', body: 'a' }).then((res) => res.json())`
    const echo = await second.evaluate<{ headers: Record<string, string> }>(script)
    assert.equal(echo.headers['x-sub'], 'alice')
  })

  await t.test('is repeated without a prompt while the provider has a session', async () => {
    await context.clearCookies({ name: /^agw_oidc/ })
    await page.goto(`${url}/again`)
    assert.equal(page.url(), `${url}/again`)
    const signedIn = (await context.cookies(url)).some(({ name }) => name.startsWith('agw_oidc_s_'))
    assert.equal(signedIn, true)
  })
})
