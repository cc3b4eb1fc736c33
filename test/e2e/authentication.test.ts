import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { hashSync } from 'bcryptjs'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

const folder = mkdtempSync(join(tmpdir(), 'gateway-identity-'))
const staff = join(folder, 'staff')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** Dollar signs are doubled in configurations. */
const inline = (hash: string) => hash.replaceAll('$', '$$$$')
const bcrypt = (password: string, cost = 5) => hashSync(password, cost).replace('$2b$', '$2y$')
const basic = (user: string, password: string, header = 'authorization'): RequestParts => ({
  headers: { [header]: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
})
const key = (text: string): RequestParts => ({ headers: { authorization: `Bearer ${text}` } })

/** However long turns of the event loop take on a busy machine, that is no overload here. */
const configuration = (host: string) => `${anyPorts}
frontendPolicies: { admission: { lag: 10m } }
gateways:
  default: { port: 0, address: 127.0.0.1 }
  keyed:
    port: 0
    address: 127.0.0.1
    apiKey: { mode: strict, keys: [{ key: k-gate, metadata: { name: gate } }] }
  twice:
    port: 0
    address: 127.0.0.1
    apiKey: { mode: strict, keys: [{ key: k-one }, { key: k-two, metadata: { name: outer } }], location: { header: { name: x-key } } }
    basicAuth: { mode: strict, htpasswd: "carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=" }
routes:
  - name: basic
    matches: [{ path: { pathPrefix: /basic } }]
    policies:
      basicAuth:
        realm: staff
        mode: strict
        htpasswd: |
          # of every kind
          alice:${inline(bcrypt('of alice'))}
          bob:$$apr1$$abcdefgh$$h9FWgUz3n9YxylKLlR5SQ/
          carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=
          dave:abNANd1rDfiNc
      transformations: { request: { set: { x-user: basicAuth.username } } }
    backends: [{ host: "${host}" }]
  - name: ruled
    matches: [{ path: { pathPrefix: /ruled } }]
    policies:
      basicAuth: { mode: optional, htpasswd: "carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=" }
      apiKey:
        mode: optional
        location: { header: { name: X-API-Key } }
        keys:
          - { key: k-plain, metadata: { team: red, level: 3 } }
          - { keyHash: "sha256:${sha256('k-hashed')}", metadata: { team: blue } }
      authorization: { rules: ["basicAuth.username == 'carol'", "apiKey.team == 'red' && apiKey.level > 2"] }
      transformations: { request: { set: { x-key: toJson(apiKey.key), x-secret: apiKey.key.unredacted() } } }
    backends: [{ host: "${host}" }]
  - name: asked
    matches: [{ path: { pathPrefix: /asked } }]
    policies:
      apiKey: { mode: strict, keys: [{ key: k-right-one }], location: { queryParameter: { name: badge } } }
    backends: [{ host: "${host}" }]
  - name: filed
    matches: [{ path: { pathPrefix: /filed } }]
    policies: { basicAuth: { mode: strict, htpasswd: { file: "${staff}" } } }
    backends: [{ host: "${host}" }]
  - name: proxied
    matches: [{ path: { pathPrefix: /proxied } }]
    policies:
      basicAuth:
        mode: strict
        htpasswd: "carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="
        authorizationLocation: { header: { name: Proxy-Authorization, prefix: "Basic " } }
    backends: [{ host: "${host}" }]
  - name: dear
    matches: [{ path: { pathPrefix: /dear } }]
    policies: { basicAuth: { mode: strict, htpasswd: "alice:${inline(bcrypt('of alice', 10))}" } }
    backends: [{ host: "${host}" }]
  - name: body
    matches: [{ path: { pathPrefix: /body } }]
    policies:
      apiKey: { mode: strict, location: { expression: json(request.body).key }, keys: [{ key: k-body }] }
      basicAuth:
        mode: optional
        htpasswd: "carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="
        authorizationLocation: { expression: json(request.body).login }
    backends: [{ host: "${host}" }]
  - { name: open, matches: [{ path: { pathPrefix: /open } }], backends: [{ host: "${host}" }] }
  - name: twice
    gateways: twice
    policies:
      apiKey: { mode: strict, keys: [{ key: k-two, metadata: { name: inner } }], location: { header: { name: X-Key } } }
      basicAuth: { mode: strict, htpasswd: "carol:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=" }
      transformations: { request: { set: { x-of: apiKey.name, x-user: basicAuth.username } } }
    backends: [{ host: "${host}" }]
  - { name: keyed, gateways: keyed, backends: [{ host: "${host}" }] }
`

suite('basicAuth and apiKey', () => {
  let upstream: EchoUpstream
  let daemon: Daemon
  let url: string
  before(async () => {
    writeFileSync(staff, `eve:${bcrypt('first')}\n`)
    upstream = await startEcho('upstream')
    daemon = await startDaemon(configuration(upstream.host))
    url = daemon.url('default')
  })
  after(async () => {
    await daemon.stop()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  for (const [user, password, kind] of [
    ['alice', 'of alice', 'bcrypt'],
    ['bob', 'secret', 'APR1'],
    ['carol', 'password', 'SHA-1'],
    ['dave', 'secret', 'crypt'],
  ] as const) {
    test(`accept a password with a ${kind} hash, and do not forward it`, async () => {
      for (let i = 0; i < 2; i++) {
        const answer = await sendRequest(url, '/basic', basic(user, password))
        assert.equal(answer.status, 200)
        const { headers } = echoed(answer)
        assert.deepEqual([headers['x-user'], headers.authorization], [user, undefined])
      }
      const wrong = await sendRequest(url, '/basic', basic(user, `${password}?`))
      assert.deepEqual(
        [wrong.status, wrong.headers['www-authenticate'], wrong.text],
        [401, 'Basic realm="staff"', 'basic authentication failure: invalid credentials'],
      )
    })
  }

  test('refuse requests without credentials', async () => {
    const { status, headers, text } = await sendRequest(url, '/basic')
    assert.deepEqual(
      [status, headers['www-authenticate'], headers['content-type'], text],
      [
        401,
        'Basic realm="staff"',
        'text/plain',
        'basic authentication failure: no basic authentication credentials found',
      ],
    )
    const proxied = await sendRequest(url, '/proxied')
    assert.deepEqual(
      [proxied.status, proxied.headers['proxy-authenticate'], proxied.headers['www-authenticate']],
      [407, 'Basic realm="Restricted"', undefined],
    )
    assert.equal(
      (await sendRequest(url, '/proxied', basic('carol', 'password', 'proxy-authorization'))).status,
      200,
    )
  })

  test('refuse gRPC requests with a gRPC status', async () => {
    const { status, headers } = await sendRequest(url, '/basic', {
      method: 'POST',
      headers: { 'content-type': 'application/grpc' },
    })
    assert.deepEqual(
      [status, headers['grpc-status'], headers['www-authenticate']],
      [200, '16', 'Basic realm="staff"'],
    )
  })

  test('accept an API key, plain or hashed, whose metadata rules can read', async () => {
    const sent = async (headers: Record<string, string>) => sendRequest(url, '/ruled', { headers })
    const plain = await sent({ 'x-api-key': 'k-plain' })
    assert.equal(plain.status, 200)
    const { headers } = echoed(plain)
    assert.deepEqual(
      [headers['x-api-key'], headers['x-key'], headers['x-secret']],
      [undefined, '"<redacted>"', 'k-plain'],
    )
    assert.equal((await sent({ 'x-api-key': 'k-hashed' })).status, 403)
    assert.equal((await sendRequest(url, '/ruled', basic('carol', 'password'))).status, 200)
    assert.equal((await sent({})).status, 403)
    const wrong = await sent({ 'x-api-key': sha256('k-hashed') })
    assert.deepEqual(
      [wrong.status, wrong.headers['www-authenticate'], wrong.text],
      [401, 'ApiKey', 'api key authentication failure: invalid credentials'],
    )
  })

  test('of a gateway run before a route is chosen', async () => {
    const keyed = daemon.url('keyed')
    const { status, text, headers } = await sendRequest(keyed, '/anything')
    assert.deepEqual(
      [status, text, headers['www-authenticate']],
      [401, 'api key authentication failure: no API Key found', 'Bearer'],
    )
    assert.equal((await sendRequest(keyed, '/anything', key('k-gate'))).status, 200)
  })

  test('of gateway and route both verify credentials that are sent once', async () => {
    const { headers } = basic('carol', 'password')
    const asked = (key: string) =>
      sendRequest(daemon.url('twice'), '/', { headers: { ...headers, 'x-key': key } })
    const good = echoed(await asked('k-two')).headers
    assert.deepEqual([good['x-of'], good['x-user']], ['inner', 'carol'])
    assert.deepEqual([good['x-key'], good.authorization], [undefined, undefined])
    const { status, text } = await asked('k-one')
    assert.deepEqual([status, text], [401, 'api key authentication failure: invalid credentials'])
    assert.equal((await asked('k-none')).status, 401)
    assert.equal((await sendRequest(daemon.url('twice'), '/', { headers: { 'x-key': 'k-two' } })).status, 401)
  })

  test('find credentials in bodies, which are forwarded unchanged', async () => {
    const login = Buffer.from('carol:password').toString('base64')
    const sent = (value: object) => sendRequest(url, '/body', { method: 'POST', body: JSON.stringify(value) })
    const answer = await sent({ key: 'k-body', login })
    assert.equal(echoed(answer).body, JSON.stringify({ key: 'k-body', login }))
    assert.equal((await sent({ key: 'k-body' })).status, 200)
    assert.equal((await sent({ key: 'k-body', login: 'eve' })).status, 401)
    assert.equal((await sent({ key: 'k-bad' })).status, 401)
    assert.equal((await sendRequest(url, '/body')).status, 401)
  })

  test('reload a password file that changes', async () => {
    assert.equal((await sendRequest(url, '/filed', basic('eve', 'first'))).status, 200)
    const inForce = daemon.printed(/configuration in force[^]*configuration in force/)
    writeFileSync(`${staff}.new`, `eve:${bcrypt('second')}\n`)
    renameSync(`${staff}.new`, staff)
    await inForce
    assert.equal((await sendRequest(url, '/filed', basic('eve', 'first'))).status, 401)
    assert.equal((await sendRequest(url, '/filed', basic('eve', 'second'))).status, 200)
    writeFileSync(`${staff}.new`, 'eve:in-clear\n')
    renameSync(`${staff}.new`, staff)
    await daemon.printed(/Failed to reload config/)
    await daemon.printed(/htpasswd\.file: line 1 has no hash that is known here/)
    assert.doesNotMatch(daemon.output(), /in-clear/)
    assert.equal((await sendRequest(url, '/filed', basic('eve', 'second'))).status, 200)
  })

  test('do not expose credentials in the configuration dump', async () => {
    const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
    assert.match(text, /"alice"/)
    for (const secret of ['$apr1$', '$2y$', 'W6ph5Mm5Pz8', 'k-plain', sha256('k-plain'), sha256('k-hashed')])
      assert.equal(text.includes(secret), false, secret)
  })

  test('do not expose credentials in traces, which credentials cannot corrupt', async () => {
    const watching = new AbortController()
    const { body } = await fetch(`${daemon.url('admin')}/debug/trace?count=4`, { signal: watching.signal })
    await sendRequest(daemon.url('default'), '/asked?badge=k-right-one')
    await sendRequest(daemon.url('default'), '/asked?badge=k-wrong-one')
    await sendRequest(daemon.url('default'), '/asked?%62adge=k-r%69ght-one&badge=k-right-one')
    await sendRequest(daemon.url('default'), '/asked?badge=":null,"', {
      headers: { authorization: 'Bearer :null,' },
    })
    assert.ok(body)
    const seen = await text(body)
    for (const secret of ['k-right-one', 'k-wrong-one', 'k-r%69ght-one']) {
      assert.ok(!seen.includes(secret), secret)
      assert.ok(!daemon.output().includes(secret), secret)
    }
    const events = seen.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    assert.ok(events.length > 20)
    for (const event of events) assert.doesNotThrow(() => JSON.parse(event) as unknown, event)
  })

  test('do not delay other requests while passwords are guessed', async () => {
    const guesses = Array.from({ length: 200 }, (_, i) =>
      sendRequest(url, '/dear', basic('alice', `guess ${String(i)}`)),
    )
    let calls = 0
    const attack = Promise.all(guesses)
    const over = attack.then(() => 'over')
    while ((await Promise.race([over, setImmediate('not yet')])) !== 'over') {
      assert.equal((await sendRequest(url, '/open')).status, 200)
      calls++
    }
    const statuses = (await attack).map(({ status }) => status)
    const count = (status: number) => statuses.filter((one) => one === status).length
    assert.deepEqual([count(401) + count(503), count(401) >= 16], [200, true])
    assert.ok(count(503) > 100, `${String(count(503))} were refused at once`)
    // If checks ran in the main thread, a request would wait for all that had arrived, or for one at least.
    assert.ok(calls > 3 * count(401), `${String(calls)} calls during ${String(count(401))} checks`)
    assert.equal((await sendRequest(url, '/dear', basic('alice', 'of alice'))).status, 200)
  })
})
