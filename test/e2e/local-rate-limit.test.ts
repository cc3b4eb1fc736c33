import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

const route = (name: string, policies: string, more = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    backends: [{ host: "HOST" }]${more}`

const limit = (maxTokens: number, fillInterval: string): string =>
  `{ maxTokens: ${maxTokens}, tokensPerFill: ${maxTokens}, fillInterval: ${fillInterval} }`

const configuration = (host: string, reloaded = limit(2, '100s')): string =>
  `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  other: { port: 0, address: 127.0.0.1 }
  limited: { port: 0, address: 127.0.0.1 }
routes:
${route('one', `{ localRateLimit: [${limit(1, '100s')}] }`)}
${route('two', `{ localRateLimit: [${limit(50, '100s')}, ${limit(2, '50s')}] }`)}
${route('second', `{ localRateLimit: [${limit(1, '1s')}] }`)}
${route('cross', `{ localRateLimit: [${limit(1, '100s')}], cors: { allowOrigins: ["http://example.com"] } }`)}
${route('refused', `{ localRateLimit: [${limit(1, '100s')}], authorization: { rules: ["request.headers['x-who'] == 'ann'"] } }`)}
${route('grpc', `{ localRateLimit: [${limit(1, '100s')}] }`)}
${route('shaped', `{ localRateLimit: [${limit(1, '100s')}], responseHeaderModifier: { remove: [x-ratelimit-limit] }, transformations: { response: { set: { x-status: "string(response.code)" } } } }`)}
${route('plans', `{ localRateLimit: { conditional: [{ condition: "request.headers['x-plan'] == 'pro'", maxTokens: 3, tokensPerFill: 3, fillInterval: 100s }, { condition: "request.headers['x-plan'] == 'free'", maxTokens: 1, tokensPerFill: 1, fillInterval: 100s }] } }`)}
${route('shared', `{ localRateLimit: [${limit(2, '100s')}] }`, '\n    gateways: [default, other]')}
${route('alone', '{}', '\n    gateways: limited')}
${route('along', '{}', '\n    gateways: limited')}
${route('apart', `{ localRateLimit: [${limit(5, '100s')}] }`, '\n    gateways: limited')}
${route('kept', `{ localRateLimit: [${limit(2, '100s')}] }`)}
${route('changed', `{ localRateLimit: [${reloaded}] }`)}
policies:
  - { name: { name: all }, target: { gateway: { gatewayName: limited } }, policy: { localRateLimit: [${limit(2, '100s')}] } }
`.replaceAll('HOST', host)

suite('localRateLimit', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  before(async () => {
    upstream = await startEcho('api')
    upstream.headers = { 'x-ratelimit-remaining': '77' }
    daemon = await startDaemon(configuration(upstream.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const get = (target: string, asked: RequestParts = {}, gateway = 'default'): Promise<ReceivedResponse> =>
    sendRequest(daemon.url(gateway), target, asked)
  const told = ({ status, headers }: ReceivedResponse) => [
    status,
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ]

  test('allows what the bucket holds, and then replies with 429', async () => {
    const [first, second] = [await get('/one'), await get('/one')]
    assert.deepEqual(told(first), [200, '1', '0'])
    assert.match(String(first.headers['x-ratelimit-reset']), /^(9\d|100)$/)
    assert.equal(first.headers['retry-after'], undefined)
    assert.deepEqual(told(second), [429, '1', '0'])
    assert.deepEqual([second.text, second.headers['content-type']], ['rate limit exceeded', 'text/plain'])
    assert.match(String(second.headers['retry-after']), /^(9\d|100)$/)
  })

  test('reports the tightest of several buckets', async () => {
    const answers = [await get('/two'), await get('/two'), await get('/two')]
    assert.deepEqual(answers.map(told), [
      [200, '2', '1'],
      [200, '2', '0'],
      [429, '2', '0'],
    ])
  })

  test('allows requests again when the bucket has refilled', async () => {
    let began = performance.now()
    let answer = await get('/second')
    assert.equal(answer.status, 200)
    // A busy machine may need a second for one request: then the next one passes as well.
    for (;;) {
      const next = performance.now()
      answer = await get('/second')
      if (answer.status === 429) break
      began = next
    }
    assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '1'])
    while (answer.status === 429) answer = await get('/second')
    // Timers and clocks may be a little early.
    assert.ok(performance.now() - began >= 950)
  })

  test('does not count preflight requests, and exposes its headers by CORS', async () => {
    const origin = { origin: 'http://example.com' }
    const preflight = { method: 'OPTIONS', headers: { ...origin, 'access-control-request-method': 'GET' } }
    const answers = [
      await get('/cross', preflight),
      await get('/cross', { headers: origin }),
      await get('/cross', { headers: origin }),
      await get('/cross', preflight),
    ]
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['access-control-allow-origin']]),
      [200, 200, 429, 200].map((status) => [status, 'http://example.com']),
    )
  })

  test('does not count requests that authorization refuses', async () => {
    for (let i = 0; i < 3; i++) {
      const refused = await get('/refused')
      assert.deepEqual(told(refused), [403, undefined, undefined])
    }
    assert.equal((await get('/refused', { headers: { 'x-who': 'ann' } })).status, 200)
  })

  test('refuses gRPC clients with a gRPC status and the same headers', async () => {
    const asked = { method: 'POST', headers: { 'content-type': 'application/grpc' } }
    await get('/grpc', asked)
    const { status, headers } = await get('/grpc', asked)
    assert.deepEqual(
      [status, headers['grpc-status'], headers['grpc-message'], headers['x-ratelimit-remaining']],
      [200, '14', 'rate limit exceeded', '0'],
    )
  })

  test('applies reply policies to refusals', async () => {
    await get('/shaped')
    const { status, headers } = await get('/shaped')
    assert.deepEqual([status, headers['x-status']], [429, '429'])
  })

  test('uses the first bucket whose condition holds, and none if no condition does', async () => {
    const ask = async (plan: string) => (await get('/plans', { headers: { 'x-plan': plan } })).status
    const free = [await ask('free'), await ask('free')]
    const pro = [await ask('pro'), await ask('pro'), await ask('pro'), await ask('pro')]
    assert.deepEqual(
      [free, pro],
      [
        [200, 429],
        [200, 200, 200, 429],
      ],
    )
    for (let i = 0; i < 5; i++) {
      const { status, headers } = await get('/plans', { headers: { 'x-plan': 'staff' } })
      assert.deepEqual([status, headers['x-ratelimit-limit']], [200, undefined])
    }
  })

  test('shares a bucket between all gateways of a route', async () => {
    const answers = [
      await get('/shared'),
      await get('/shared', {}, 'other'),
      await get('/shared'),
      await get('/shared', {}, 'other'),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 429, 429],
    )
  })

  test('of a gateway shares a bucket between its routes, unless a route has its own', async () => {
    const answers = [
      await get('/alone', {}, 'limited'),
      await get('/along', {}, 'limited'),
      await get('/alone', {}, 'limited'),
      await get('/apart', {}, 'limited'),
    ]
    assert.deepEqual(answers.map(told), [
      [200, '2', '1'],
      [200, '2', '0'],
      [429, '2', '0'],
      [200, '5', '4'],
    ])
  })

  test('logs the reason and the code', async () => {
    await get('/one/logged')
    await get('/one/logged')
    const [line] = await daemon.printed(/^.*http\.path=\/one\/logged .*$/m)
    assert.match(line, / http\.status=429 .* reason=RateLimit code=rate_limited\b/)
  })

  test('keeps buckets over a reload, except those whose limit changed', async () => {
    for (const path of ['/kept', '/changed']) assert.deepEqual(told(await get(path)), [200, '2', '1'])
    daemon.rewrite(configuration(upstream.host, limit(3, '100s')))
    await daemon.printed(/in force[^]*in force/)
    assert.deepEqual(told(await get('/kept')), [200, '2', '0'])
    assert.deepEqual(told(await get('/kept')), [429, '2', '0'])
    assert.deepEqual(told(await get('/changed')), [200, '3', '2'])
  })
})
