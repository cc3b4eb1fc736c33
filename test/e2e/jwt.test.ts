import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { echoed, startEcho } from '../support/echo-upstream.ts'
import { startKeyServer } from '../support/key-server.ts'
import { keySetOf, secondsFromNow, signer, type Signer } from '../support/tokens.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-jwt-'))
const file = join(folder, 'keys.json')
const filed = signer('filed', 'EdDSA')
const inlined = signer('inlined')
const rsa = signer('rsa', 'RS256')

const claims = (more: object = {}) => ({
  iss: 'https://idp.test',
  aud: 'api',
  sub: 'ann',
  exp: secondsFromNow(300),
  roles: ['reader'],
  ...more,
})
const bearer = (token: string): RequestParts => ({ headers: { authorization: `Bearer ${token}` } })

const configuration = (host: string, url: string) => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  guarded:
    port: 0
    address: 127.0.0.1
    jwtAuth: { mode: strict, issuer: https://idp.test, audiences: [api], jwks: { keys: [${JSON.stringify(inlined.jwk)}] } }
routes:
  - name: strict
    matches: [{ path: { pathPrefix: /strict } }]
    policies:
      jwtAuth: { mode: strict, issuer: https://idp.test, audiences: [api, other], jwks: { url: "${url}" } }
      transformations:
        request:
          set:
            x-sub: jwt.sub
            x-role: jwt.roles[0]
            x-shown: jwt.rawToken
            x-raw: jwt.rawToken.unredacted()
    backends: [{ host: "${host}" }]
  - name: optional
    matches: [{ path: { pathPrefix: /optional } }]
    policies: { jwtAuth: { issuer: https://idp.test, audiences: [api], jwks: { file: "${file}" } } }
    backends: [{ host: "${host}" }]
  - name: permissive
    matches: [{ path: { pathPrefix: /permissive } }]
    policies: { jwtAuth: { mode: permissive, issuer: https://idp.test, audiences: [api], jwks: '${keySetOf(inlined)}' } }
    backends: [{ host: "${host}" }]
  - name: several
    matches: [{ path: { pathPrefix: /several } }]
    policies:
      jwtAuth:
        mode: strict
        location: { queryParameter: { name: t } }
        providers:
          - { issuer: https://idp.test, audiences: [api], jwks: '${keySetOf(inlined)}' }
          - { issuer: https://other.test, audiences: [api], jwks: '${keySetOf(rsa)}', jwtValidationOptions: { requiredClaims: [sub] } }
      transformations: { request: { set: { x-iss: jwt.iss } } }
    backends: [{ host: "${host}" }]
  - name: ruled
    matches: [{ path: { pathPrefix: /ruled } }]
    policies:
      jwtAuth: { issuer: https://idp.test, audiences: [api], jwks: '${keySetOf(inlined)}' }
      authorization: { rules: ['"reader" in jwt.roles'] }
    backends: [{ host: "${host}" }]
  - { name: open, matches: [{ path: { pathPrefix: /open } }], backends: [{ host: "${host}" }] }
  - name: again
    gateways: guarded
    policies: { jwtAuth: { mode: strict, issuer: https://idp.test, audiences: [second], jwks: '${keySetOf(inlined)}' } }
    matches: [{ path: { pathPrefix: /again } }]
    backends: [{ host: "${host}" }]
  - { name: guarded, gateways: guarded, backends: [{ host: "${host}" }] }
`

test('jwtAuth', async (t) => {
  let current: Signer = signer('first', 'RS256')
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(file, keySetOf(filed))
  await using upstream = await startEcho('upstream')
  await using keys = await startKeyServer(current)
  await using daemon = await startDaemon(configuration(upstream.host, keys.url))
  const url = daemon.url('default')
  await daemon.printed(/a dependency is there\s+dependency="?jwks http/)

  const strict = (token: string) => sendRequest(url, '/strict', bearer(token))

  await t.test('accepts a valid token, exposes its claims, and removes it from the request', async () => {
    const token = current.token(claims())
    const { headers } = echoed(await strict(token))
    assert.deepEqual(
      [headers['x-sub'], headers['x-role'], headers['x-shown'], headers['x-raw'], headers.authorization],
      ['ann', 'reader', undefined, token, undefined],
    )
  })

  await t.test('logs the subject, but never the token', async () => {
    const token = current.token(claims({ sub: 'log-me' }))
    await strict(token)
    await daemon.printed(/route=default\/strict .*jwt\.sub=log-me/)
    assert.doesNotMatch(daemon.output(), /eyJ/)
  })

  await t.test('refuses missing and invalid tokens with a challenge', async () => {
    const { length } = upstream.asked
    const cases: readonly (readonly [RequestParts, string, string])[] = [
      [{}, 'no bearer token found', 'Bearer'],
      [
        bearer('x'),
        'the token is invalid or malformed: it does not have three parts',
        'Bearer error="invalid_token"',
      ],
      [
        bearer(current.token(claims(), { kid: 'nobody' })),
        'token uses the unknown key "nobody"',
        'Bearer error="invalid_token"',
      ],
      [
        bearer(current.token(claims(), { kid: undefined })),
        'the token header does not specify a `kid`',
        'Bearer error="invalid_token"',
      ],
      [
        bearer(current.token(claims({ exp: secondsFromNow(-61) }))),
        'the token is invalid or malformed: it has expired',
        'Bearer error="invalid_token"',
      ],
    ]
    for (const [asked, message, challenge] of cases) {
      const { status, text, headers } = await sendRequest(url, '/strict', asked)
      assert.deepEqual(
        [status, text, headers['www-authenticate'], headers['content-type']],
        [401, `authentication failure: ${message}`, challenge, 'text/plain'],
      )
    }
    assert.equal(upstream.asked.length, length)
    await daemon.printed(/http\.status=401 .*reason=JwtAuth code=jwt_expired/)
  })

  await t.test('in mode optional accepts requests without a token, but no invalid token', async () => {
    assert.equal((await sendRequest(url, '/optional')).status, 200)
    assert.equal((await sendRequest(url, '/optional', bearer(filed.token(claims())))).status, 200)
    assert.equal((await sendRequest(url, '/optional', bearer(rsa.token(claims())))).status, 401)
  })

  await t.test('in mode permissive forwards an invalid token, and removes a valid one', async () => {
    const bad = echoed(await sendRequest(url, '/permissive', bearer('bad')))
    assert.equal(bad.headers.authorization, 'Bearer bad')
    const good = echoed(await sendRequest(url, '/permissive', bearer(inlined.token(claims()))))
    assert.equal(good.headers.authorization, undefined)
  })

  await t.test('supports several issuers, and a token in the query', async () => {
    const one = inlined.token(claims())
    const two = rsa.token(claims({ iss: 'https://other.test', exp: undefined }))
    const { target, headers } = echoed(await sendRequest(url, `/several?a=%20&t=${one}&b`))
    assert.deepEqual([target, headers['x-iss']], ['/several?a=%20&b', 'https://idp.test'])
    assert.equal(echoed(await sendRequest(url, `/several?t=${two}`)).headers['x-iss'], 'https://other.test')
    const crossed = rsa.token(claims())
    assert.match((await sendRequest(url, `/several?t=${crossed}`)).text, /unknown key "rsa"/)
    assert.equal((await sendRequest(url, `/several?t=${one}&t=${two}`)).status, 401)
    assert.doesNotMatch(daemon.output(), /eyJ/)
  })

  await t.test('provides claims to rules', async () => {
    assert.equal((await sendRequest(url, '/ruled', bearer(inlined.token(claims())))).status, 200)
    assert.equal(
      (await sendRequest(url, '/ruled', bearer(inlined.token(claims({ roles: ['other'] }))))).status,
      403,
    )
    assert.equal((await sendRequest(url, '/ruled')).status, 403)
  })

  await t.test('of a gateway applies to all its routes, and that of a route in addition', async () => {
    const guarded = daemon.url('guarded')
    const once = bearer(inlined.token(claims()))
    const twice = bearer(inlined.token(claims({ aud: ['api', 'second'] })))
    assert.equal((await sendRequest(guarded, '/')).status, 401)
    assert.equal((await sendRequest(guarded, '/', once)).status, 200)
    assert.equal((await sendRequest(guarded, '/again', once)).status, 401)
    assert.equal((await sendRequest(guarded, '/again', twice)).status, 200)
    assert.equal((await sendRequest(guarded, '/nowhere')).status, 401)
  })

  await t.test('reloads a key file that changes', async () => {
    const next = signer('next')
    const { length } = daemon.output().match(/configuration in force/g) ?? []
    writeFileSync(`${file}.new`, keySetOf(next))
    renameSync(`${file}.new`, file)
    await daemon.printed(new RegExp(`(?:configuration in force[^]*){${length + 1}}`))
    assert.equal((await sendRequest(url, '/optional', bearer(next.token(claims())))).status, 200)
    assert.match(
      (await sendRequest(url, '/optional', bearer(filed.token(claims())))).text,
      /unknown key "filed"/,
    )
  })

  await t.test('fails no request while keys are rotated under load', async () => {
    const statuses: number[] = []
    let going = true
    const caller = async () => {
      while (going)
        statuses.push((await strict(current.token(claims({ jti: String(statuses.length) })))).status)
    }
    const callers = Array.from({ length: 8 }, caller)
    for (const kid of ['second', 'third', 'fourth', 'fifth']) {
      const { length } = statuses
      while (statuses.length < length + 50) await strict(current.token(claims()))
      const before = current
      const after = signer(kid, 'RS256')
      // As providers do: the new key is published beside the old one, then used, then the old one is removed.
      keys.show(before, after)
      current = after
      await strict(current.token(claims()))
      keys.show(after)
    }
    going = false
    await Promise.all(callers)
    assert.ok(statuses.length > 200)
    assert.deepEqual([...new Set(statuses)], [200])
    // One at first, one for the unknown key id, and one for each new key.
    assert.equal(keys.requests.length, 6)
  })

  await t.test(
    'verifies with known keys while the provider is down, and finds new keys afterwards',
    async () => {
      const known = current.token(claims())
      await keys.stop()
      const next = signer('after-the-outage', 'RS256')
      assert.equal((await strict(known)).status, 200)
      assert.equal((await strict(current.token(claims({ jti: 'new' })))).status, 200)
      assert.match((await strict(next.token(claims()))).text, /unknown key "after-the-outage"/)
      await daemon.printed(/a dependency does not answer\s.*state=stale/)
      assert.equal((await sendRequest(daemon.url('readiness'), '/healthz/ready')).status, 200)
      keys.show(next)
      await keys.start()
      current = next
      await daemon.printed(/state=stale[^]*a dependency is there/)
      assert.equal((await strict(next.token(claims()))).status, 200)
      const [dependency] = JSON.parse((await sendRequest(daemon.url('admin'), '/dependencies')).text) as {
        state: string
      }[]
      assert.equal(dependency?.state, 'ready')
    },
  )
})

test('jwtAuth with a provider that is down from the start replies with 503, does not delay other routes, and recovers', async () => {
  await using upstream = await startEcho('upstream')
  const one = signer('one')
  await using keys = await startKeyServer(one)
  // Accepts the request and never responds.
  keys.answer(() => undefined)
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: strict
    matches: [{ path: { pathPrefix: /strict } }]
    policies: { jwtAuth: { mode: strict, issuer: https://idp.test, audiences: [api], jwks: { url: "${keys.url}" } } }
    backends: [{ host: "${upstream.host}" }]
  - { name: open, backends: [{ host: "${upstream.host}" }] }
`)
  const url = daemon.url('default')
  const ready = async () => {
    const { status, text } = await sendRequest(daemon.url('readiness'), '/healthz/ready')
    return [status, text]
  }
  const token = bearer(one.token(claims()))
  assert.deepEqual(await ready(), [500, `not ready, pending: jwks ${keys.url}\n`])
  await keys.asked(1)
  const waiting = sendRequest(url, '/strict', token)
  // Other requests are not delayed.
  for (let n = 0; n < 20; n++) assert.equal((await sendRequest(url, '/open')).status, 200)
  assert.equal((await sendRequest(url, '/strict')).status, 401)
  await keys.stop()
  const refused = await waiting
  assert.deepEqual(
    [refused.status, refused.text, refused.headers['retry-after']],
    [503, 'processing failed: the keys to verify the token with are not available', '5'],
  )
  await daemon.printed(/http\.status=503 .*reason=JwtAuth code=jwt_keys_unavailable/)
  keys.answer()
  await keys.start()
  await daemon.printed(/a dependency is there/)
  assert.equal((await sendRequest(url, '/strict', token)).status, 200)
  assert.deepEqual(await ready(), [200, 'ready\n'])
})
