import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CookieClient } from '../../test/support/cookie-client.ts'
import { startExample } from '../../test/support/example.ts'
import { signIn } from '../../test/support/identity-provider.ts'
import { startProgram } from '../../test/support/program.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/browser-login', async (t) => {
  await using application = await startUpstream((req, res) => {
    const { 'x-user': user, 'x-name': name, cookie = 'no cookie' } = req.headers
    res.end(`${String(user)}, ${String(name)}, ${cookie}`)
  })
  await using daemon = await startExample('browser-login', { APPLICATION: application.host })
  const url = daemon.url('default').replace('127.0.0.1', 'localhost')
  // Gateway and provider need each other's address, and the system chooses the ports.
  process.env.PUBLIC_URL = url
  await using provider = await startProgram('examples/browser-login/provider.ts')
  const inForce = daemon.printed(/configuration in force[^]*configuration in force/)
  daemon.rewrite(
    readFileSync('examples/browser-login/config.yaml', 'utf8')
      .replace('${PUBLIC_URL:-http://localhost:8080}', url)
      .replace('${ISSUER:-http://127.0.0.1:9000}', `http://${provider.host}`),
  )
  await inForce

  await t.test('logs staff in, and passes the user to the application', async () => {
    const browser = new CookieClient()
    const { status, text } = await signIn(browser, `${url}/today`, 'ann')
    assert.deepEqual([status, browser.url], [200, `${url}/today`])
    assert.match(text, /^ann, ann of the example, /)
    assert.doesNotMatch(text, /agw_oidc/)
  })

  await t.test('refuses guests', async () => {
    const { status } = await signIn(new CookieClient(), `${url}/today`, 'guest')
    assert.equal(status, 403)
  })
})
