import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportJWK, jwtVerify, SignJWT } from 'jose'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { echoed, startEcho } from '../support/echo-upstream.ts'

const route = (name: string, host: string, auth: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    backends: [{ host: "${host}", policies: { backendAuth: ${auth}${more} } }]`

test('static credentials for a backend', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  const file = join(folder, 'key')
  writeFileSync(file, 'k3y-of-a-file\n')
  t.after(() => {
    rmSync(folder, { recursive: true })
  })
  await using echo = await startEcho('echo')
  const { host } = echo
  await using daemon = await startDaemon(
    `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends:
  - name: named
    host: "${host}"
    policies: { backendAuth: { key: k3y-of-the-backend } }
  - name: attached
    host: "${host}"
policies:
  - name: { name: attached }
    target: { backend: { backend: { name: attached } } }
    policy: { backendAuth: { key: k3y-by-target } }
routes:
${route('plain', host, '{ key: k3y-in-plain }')}
${route('file', host, `{ key: { file: "${file}" } }`)}
${route('placed', host, '{ key: { value: k3y-in-place, location: { header: { name: X-Odd } } } }')}
${route('file-placed', host, `{ key: { value: { file: "${file}" }, location: { cookie: { name: sid } } } }`)}
${route('query', host, '{ key: { value: "k3y/in?query", location: { queryParameter: { name: odd } } } }')}
${route('many', host, '{ key: { value: k3y-first }, credentials: [{ location: { header: { name: x-app } }, key: k3y-second }] }')}
${route('only', host, '{ credentials: [{ location: { header: { name: x-auth-token, prefix: "Bearer " } }, key: k3y-alone }] }')}
${route('changed', host, '{ key: k3y-changed }', ', transformations: { request: { set: { x-seen: "request.headers[\'authorization\']" } } }, requestHeaderModifier: { remove: [authorization] }')}
${route('moved', host, '{ key: { value: k3y-moved, location: { queryParameter: { name: odd } } } }', ', requestRedirect: { scheme: https }')}
  - name: of-backend
    matches: [{ path: { pathPrefix: /of-backend } }]
    backends: [{ backend: named }]
  - name: of-target
    matches: [{ path: { pathPrefix: /of-target } }]
    backends: [{ backend: attached }]
  - name: of-route
    matches: [{ path: { pathPrefix: /of-route } }]
    policies: { backendAuth: { key: k3y-of-the-route }, retry: { attempts: 1, codes: [503] } }
    backends: [{ host: "${host}" }]
  - name: nobody
    matches: [{ path: { pathPrefix: /nobody } }]
    policies: { backendAuth: { passthrough: {} } }
    backends: [{ host: "${host}" }]
`,
  )
  const url = daemon.url('default')
  const sent = async (path: string, headers: Record<string, string> = {}) =>
    echoed(await sendRequest(url, path, { headers }))

  await t.test('are sent in Authorization', async () => {
    assert.equal(
      (await sent('/plain', { authorization: 'Basic theirs' })).headers.authorization,
      'Bearer k3y-in-plain',
    )
  })

  await t.test('are sent in the configured location', async () => {
    const placed = await sent('/placed', { authorization: 'Basic theirs' })
    assert.deepEqual(
      [placed.headers['x-odd'], placed.headers.authorization],
      ['k3y-in-place', 'Basic theirs'],
    )
    assert.equal(
      (await sent('/file-placed', { cookie: 'a=1; sid=2' })).headers.cookie,
      'a=1; sid=k3y-of-a-file',
    )
    assert.equal((await sent('/query?a=1&odd=2')).target, '/query?a=1&odd=k3y%2Fin%3Fquery')
    const many = await sent('/many')
    assert.deepEqual([many.headers.authorization, many.headers['x-app']], ['Bearer k3y-first', 'k3y-second'])
    assert.equal((await sent('/only')).headers['x-auth-token'], 'Bearer k3y-alone')
  })

  await t.test('come from the route or from the backend', async () => {
    assert.equal((await sent('/of-backend')).headers.authorization, 'Bearer k3y-of-the-backend')
    assert.equal((await sent('/of-target')).headers.authorization, 'Bearer k3y-by-target')
    assert.equal((await sent('/of-route')).headers.authorization, 'Bearer k3y-of-the-route')
  })

  await t.test('are set before headers are transformed, and for each attempt', async () => {
    const { headers } = await sent('/changed')
    assert.deepEqual([headers['x-seen'], headers.authorization], ['Bearer k3y-changed', undefined])
    echo.asked.length = 0
    echo.status = 503
    await sendRequest(url, '/of-route')
    echo.status = 200
    assert.deepEqual(
      echo.asked.map((one) => one.headers.authorization),
      ['Bearer k3y-of-the-route', 'Bearer k3y-of-the-route'],
    )
  })

  await t.test('do not appear in a redirect', async () => {
    const { status, headers } = await sendRequest(url, '/moved?a=1')
    assert.equal(status, 302)
    assert.doesNotMatch(headers.location ?? '', /k3y/)
  })

  await t.test('are not sent if the client was not authenticated', async () => {
    assert.equal(
      (await sent('/nobody', { authorization: 'Bearer unproved' })).headers.authorization,
      'Bearer unproved',
    )
  })

  await t.test('are reloaded when their file changes', async () => {
    assert.equal((await sent('/file')).headers.authorization, 'Bearer k3y-of-a-file')
    // At once: a file that is written in place is empty for a moment.
    writeFileSync(`${file}.next`, '  k3y-anew  \n')
    renameSync(`${file}.next`, file)
    await daemon.printed(/in force[^]*in force/)
    assert.equal((await sent('/file')).headers.authorization, 'Bearer k3y-anew')
  })

  await t.test('do not appear in logs, dumps or traces', async () => {
    const watcher = sendRequest(daemon.url('admin'), '/debug/trace?count=5&bodies=true')
    while (!/trace_watchers\D* 1\b/.exec((await sendRequest(daemon.url('stats'), '/metrics')).text));
    for (const path of ['/query?a=1', '/placed', '/file-placed', '/only', '/many']) await sent(path)
    const trace = (await watcher).text
    assert.match(trace, /backend_auth/)
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    assert.match(dump, /"backendAuth": *\{\s*"key": *\{\s*"value": *"<redacted>"/)
    for (const [what, text] of Object.entries({ trace, dump, log: daemon.output() }))
      assert.doesNotMatch(text, /k3y/, what)
  })
})

test('tokens signed by the gateway', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(
    `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:${route('signed', echo.host, '{ jwtSign: { signingKey: "$PEM", alg: ES256, kid: k1, claims: { iss: gw, roles: [a] }, location: { header: { name: x-token } } } }')}`,
    { env: { PEM: pem } },
  )
  const token = async () =>
    String(echoed(await sendRequest(daemon.url('default'), '/signed')).headers['x-token'])

  await t.test('verify at the upstream', async () => {
    const { payload, protectedHeader } = await jwtVerify(await token(), publicKey, { issuer: 'gw' })
    assert.deepEqual(protectedHeader, { alg: 'ES256', typ: 'JWT', kid: 'k1' })
    assert.deepEqual([payload.roles, Number(payload.exp) - Number(payload.iat)], [['a'], 300])
  })

  await t.test('serve more than one request', async () => {
    assert.equal(await token(), await token())
  })

  await t.test('do not expose their key', async () => {
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    assert.match(dump, /"signingKey": *"<redacted>"/)
    assert.doesNotMatch(dump, /PRIVATE/)
  })
})

test('the verified token of the client', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
  const token = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer('https://idp')
    .setExpirationTime('5m')
    .sign(privateKey)
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies: { jwtAuth: { mode: optional, issuer: "https://idp", jwks: '${JSON.stringify({ keys: [key] })}' } }
    matches: [{ path: { pathPrefix: /taken } }]
    backends: [{ host: "${echo.host}" }]
  - policies: { jwtAuth: { mode: optional, issuer: "https://idp", jwks: '${JSON.stringify({ keys: [key] })}' } }
    backends:
      - host: "${echo.host}"
        policies: { backendAuth: { passthrough: { location: { header: { name: x-user-token } } } } }
`)
  const sent = async (path: string, headers: Record<string, string>) =>
    echoed(await sendRequest(daemon.url('default'), path, { headers })).headers

  await t.test('is forwarded to the configured backend only', async () => {
    const authorization = `Bearer ${token}`
    const headers = await sent('/', { authorization })
    assert.deepEqual([headers['x-user-token'], headers.authorization], [token, undefined])
    assert.equal((await sent('/taken', { authorization })).authorization, undefined)
  })

  await t.test('cannot be forged by clients', async () => {
    const headers = await sent('/', { 'x-user-token': 'mine' })
    assert.equal(headers['x-user-token'], undefined)
  })
})
