import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest, type RequestParts } from '../../test/support/send-request.ts'
import { echoed, startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'
import { startKeyServer } from '../../test/support/key-server.ts'
import { keySetOf, secondsFromNow, signer } from '../../test/support/tokens.ts'

test('examples/jwt', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'example-jwt-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const person = signer('p1', 'RS256')
  const build = signer('b1', 'EdDSA')
  const keysOfBuilds = join(folder, 'keys.json')
  writeFileSync(keysOfBuilds, keySetOf(build))
  await using keys = await startKeyServer(person)
  await using api = await startEcho('api')
  await using shop = await startEcho('shop')
  await using daemon = await startExample('jwt', {
    API: api.host,
    SHOP: shop.host,
    ISSUER: 'https://idp.test',
    JWKS: keys.url,
    BUILD_KEYS: keysOfBuilds,
  })
  const url = daemon.url('default')
  const claims = (more: object) => ({
    iss: 'https://idp.test',
    aud: 'api.example.com',
    sub: 'ann',
    exp: secondsFromNow(60),
    ...more,
  })
  const call = (token: string, asked: RequestParts = {}) =>
    sendRequest(url, '/api', { ...asked, headers: { authorization: `Bearer ${token}`, 'x-user': 'root' } })

  await t.test('refuses requests without a token', async () => {
    const { status, text } = await sendRequest(url, '/api')
    assert.deepEqual([status, text], [401, 'authentication failure: no bearer token found'])
  })

  await t.test('allows users to read, and passes the user to the service instead of the token', async () => {
    const { headers } = echoed(await call(person.token(claims({ scope: 'openid api.read' }))))
    assert.deepEqual([headers['x-user'], headers.authorization], ['ann', undefined])
    const write = await call(person.token(claims({ scope: 'openid api.read' })), {
      method: 'POST',
      body: 'x',
    })
    assert.equal(write.status, 403)
  })

  await t.test('allows a build to write', async () => {
    const token = build.token(claims({ iss: 'builds', sub: 'build-7', scope: 'api.write' }))
    assert.equal(echoed(await call(token, { method: 'POST', body: 'x' })).headers['x-user'], 'build-7')
    const disguised = build.token(claims({ scope: 'api.write' }))
    assert.match((await call(disguised)).text, /token uses the unknown key "b1"/)
  })

  await t.test(
    'identifies visitors of the shop by their cookie, and serves visitors without one',
    async () => {
      const token = person.token(claims({ aud: 'shop.example.com' }))
      const known = echoed(
        await sendRequest(url, '/', { headers: { cookie: `session=${token}; theme=dark` } }),
      )
      assert.deepEqual([known.headers['x-user'], known.headers.cookie], ['ann', 'theme=dark'])
      assert.equal(
        echoed(await sendRequest(url, '/', { headers: { 'x-user': 'root' } })).headers['x-user'],
        undefined,
      )
      assert.equal((await sendRequest(url, '/', { headers: { cookie: 'session=old' } })).status, 401)
    },
  )
})
