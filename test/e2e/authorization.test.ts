import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { text } from 'node:stream/consumers'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

const route = (name: string, rules: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { authorization: { rules: ${rules} }${more} }
    backends: [{ backend: api }]`

/** A header identifies the caller here; with authentication, rules read verified attributes. */
const configuration = (host: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  guarded:
    port: 0
    address: 127.0.0.1
    cors: { allowOrigins: ["https://app.example"] }
    authorization: { rules: [{ deny: "request.headers['x-who'] == 'mallory'" }] }
backends:
  - name: api
    host: "${host}"
    policies: { authorization: { rules: [{ deny: "request.path.endsWith('/secret')" }] } }
routes:
${route('nothing', '[]')}
${route('text', `["request.headers['x-who'] == 'ann'", "request.headers['x-who'] == 'bob'"]`)}
${route('deny', `[{ deny: "request.headers['x-who'] == 'bob'" }]`)}
${route('require', `[{ require: "request.headers['x-who'] == 'ann'" }, { require: "request.method == 'GET'" }]`)}
${route('all', `["request.headers['x-who'] == 'ann'", { deny: "request.method == 'DELETE'" }, { require: "has(request.headers['x-badge'])" }]`)}
${route('every', `[{ deny: "'guest' in request.headers.raw()['x-role']" }]`)}
${route('body', `["json(request.body).who == 'ann'"]`)}
${route('not', `["request.headers['x-who'] != 'eve'"]`)}
${route('cross', `["request.headers['x-who'] == 'ann'"]`, ', cors: { allowOrigins: ["https://app.example"] }')}
${route('listed', `["request.headers['x-who'] == 'ann'"]`)}
${route('proved', `["'read' in jwt.permissions"]`)}
  - name: here
    gateways: guarded
    matches: [{ path: { exact: /here } }]
    backends: [{ backend: api }]
policies:
  - { name: { name: badge }, target: { gateway: { gatewayName: guarded } }, phase: gateway, policy: { authorization: { rules: [{ require: "has(request.headers['x-badge'])" }] } } }
  - { name: { name: office }, target: { route: { name: listed } }, policy: { authorization: { rules: ["request.headers['x-who'] == 'bob'", { deny: "request.method == 'DELETE'" }] } } }
`

suite('authorization', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  before(async () => {
    upstream = await startEcho('api')
    daemon = await startDaemon(configuration(upstream.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const from = (who: string, asked: RequestParts = {}): RequestParts => ({
    ...asked,
    headers: { 'x-who': who, ...asked.headers },
  })
  const badge = { 'x-badge': '1' }
  const cases: readonly (readonly [
    what: string,
    target: string,
    asked: RequestParts,
    status: number,
    gateway?: string,
  ])[] = [
    ['no rules', '/nothing', {}, 200],
    ['one of several texts that holds', '/text', from('bob'), 200],
    ['texts of which none holds', '/text', from('eve'), 403],
    ['texts that cannot be evaluated', '/text', {}, 403],
    ['a deny rule that does not hold', '/deny', from('ann'), 200],
    ['a deny rule that holds', '/deny', from('bob'), 403],
    ['a deny rule that cannot be evaluated', '/deny', {}, 403],
    ['require rules that hold', '/require', from('ann'), 200],
    ['a require rule that does not hold', '/require', from('ann', { method: 'POST' }), 403],
    ['a require rule that cannot be evaluated', '/require', {}, 403],
    ['rules of all kinds', '/all', from('ann', { headers: badge }), 200],
    ['an allow rule that a require rule outweighs', '/all', from('ann'), 403],
    [
      'an allow rule that a deny rule outweighs',
      '/all',
      from('ann', { method: 'DELETE', headers: badge }),
      403,
    ],
    ['a header that came once', '/every', { headers: { 'x-role': ['admin'] } }, 200],
    ['a header whose second value is denied', '/every', { headers: { 'x-role': ['admin', 'guest'] } }, 403],
    ['a header whose first value is denied', '/every', { headers: { 'x-role': ['guest', 'admin'] } }, 403],
    ['a deny rule about a header that came twice', '/deny', { headers: { 'x-who': ['ann', 'bob'] } }, 403],
    ['an allow rule about a header that came twice', '/text', { headers: { 'x-who': ['ann', 'ann'] } }, 403],
    ['a rule that something is not so, the same way', '/not', { headers: { 'x-who': ['eve', 'ann'] } }, 403],
    ['a rule that something is not so', '/not', from('ann'), 200],
    ['a body that says so', '/body', { method: 'POST', body: '{"who":"ann"}' }, 200],
    ['a body that does not', '/body', { method: 'POST', body: '{"who":"eve"}' }, 403],
    ['a body that is none', '/body', { method: 'POST', body: '{"who":' }, 403],
    ['rules of the route', '/listed', from('ann'), 200],
    ['rules that are attached to it', '/listed', from('bob'), 200],
    ['no rule of either', '/listed', from('eve'), 403],
    ['a deny rule attached to it', '/listed', from('ann', { method: 'DELETE' }), 403],
    ['claims of a token that nobody asked for', '/proved', {}, 403],
    ['rules of the backend', '/nothing/secret', {}, 403],
    ['rules of the gateway, inline and attached', '/here', from('ann', { headers: badge }), 200, 'guarded'],
    ['an inline rule of the gateway', '/here', from('mallory', { headers: badge }), 403, 'guarded'],
    ['a rule attached to the gateway', '/here', from('ann'), 403, 'guarded'],
    ['rules of the gateway where there is no route', '/nowhere', {}, 403, 'guarded'],
    ['no route, for whom the gateway lets pass', '/nowhere', from('ann', { headers: badge }), 404, 'guarded'],
  ]
  for (const [what, target, asked, status, gateway] of cases)
    test(`replies with ${status} for ${what}`, async () => {
      const answer = await sendRequest(daemon.url(gateway ?? 'default'), target, asked)
      assert.equal(answer.status, status)
      if (status === 403)
        assert.deepEqual(
          [answer.text, answer.headers['content-type']],
          ['authorization failed', 'text/plain'],
        )
    })

  test('keeps refused requests from the backend', async () => {
    const before = upstream.asked.length
    await sendRequest(daemon.url('default'), '/deny', { method: 'POST', body: 'x'.repeat(100_000) })
    assert.equal(upstream.asked.length, before)
  })

  test('refuses gRPC clients with a gRPC status', async () => {
    const asked = from('eve', { method: 'POST', headers: { 'content-type': 'application/grpc' } })
    const { status, headers, text: body } = await sendRequest(daemon.url('default'), '/text', asked)
    assert.deepEqual(
      [status, headers['grpc-status'], headers['grpc-message'], body],
      [200, '7', 'authorization failed', ''],
    )
  })

  test('does not apply to preflight requests', async () => {
    for (const [gateway, target] of [
      ['default', '/cross'],
      ['guarded', '/here'],
    ] as const) {
      const asked = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
      const { status, headers } = await sendRequest(daemon.url(gateway), target, {
        method: 'OPTIONS',
        headers: asked,
      })
      assert.deepEqual([status, headers['access-control-allow-origin']], [200, 'https://app.example'])
    }
  })

  test('sends CORS headers with a refusal', async () => {
    const { status, headers } = await sendRequest(daemon.url('default'), '/cross', {
      headers: { origin: 'https://app.example' },
    })
    assert.deepEqual([status, headers['access-control-allow-origin']], [403, 'https://app.example'])
  })

  test('logs the reason and the code', async () => {
    await sendRequest(daemon.url('default'), '/deny/logged', from('bob'))
    const [line] = await daemon.printed(/^.*http\.path=\/deny\/logged .*$/m)
    assert.match(line, / http\.status=403 /)
    assert.match(line, / reason=Authorization /)
    assert.match(line, / code=authorization_failed\b/)
  })

  test('traces the rule that decided', async () => {
    const watching = get(`${daemon.url('admin')}/debug/trace`, { agent: false })
    const [trace] = (await once(watching, 'response')) as [IncomingMessage]
    await sendRequest(daemon.url('default'), '/all', from('ann', { method: 'DELETE', headers: badge }))
    const events = (await text(trace))
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)) as { severity: string; message: object })
    const [result] = events.filter(({ message }) => 'rules' in message)
    assert.deepEqual(
      [result?.severity, result?.message],
      [
        'error',
        {
          type: 'authorizationResult',
          rules: [{ name: "request.method == 'DELETE'", index: 1, mode: 'deny', matched: true }],
          result: 'deny',
        },
      ],
    )
    const [policy] = events.filter(({ message }) => 'kind' in message && message.kind === 'authorization')
    assert.match(JSON.stringify(policy), /refused by rules\[1\], deny: request\.method == 'DELETE'/)
    assert.match(JSON.stringify(policy), /"status":403,"code":"authorization_failed"/)
  })
})
