import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { HeaderValueSchema } from '../../src/protocols/grpc/core.gen.ts'
import { RateLimitResponseSchema } from '../../src/protocols/grpc/rate-limit.gen.ts'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type CountingService, startCounting } from '../support/rate-limit-service.ts'

/** Routes by the first segment of the path. */
const route = (name: string, policies: string, host: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    backends: [{ host: "${host}" }]`

const limit = (at: string, descriptors: string, more = ''): string =>
  `{ remoteRateLimit: { host: "${at}", domain: shop, descriptors: [${descriptors}]${more} } }`

const byPath = '{ entries: [{ key: path, value: request.path }] }'

const configuration = (host: string, at: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
${route('plain', limit(at, byPath), host)}
${route('shared', limit(at, '{ entries: [{ key: client, value: "request.headers[\'x-client\']" }] }'), host)}
${route('several', limit(at, `${byPath}, { entries: [{ key: a, value: "'1'" }, { key: b, value: "2" }], cost: "request.headers['x-cost'].size()", limitOverride: "{'unit': 'hour', 'requestsPerUnit': 2}" }`), host)}
${route('costly', limit(at, '{ entries: [{ key: who, value: "\'me\'" }], cost: "int(request.headers[\'x-cost\'])" }'), host)}
${route('shut', limit('127.0.0.1:1', byPath), host)}
${route('open', limit('127.0.0.1:1', byPath, ', failureMode: failOpen'), host)}
${route('quick', limit(at, byPath, ', policies: { http: { requestTimeout: 50ms } }'), host)}
${route('perhaps', `{ remoteRateLimit: { conditional: [{ condition: "request.method == 'POST'", host: "${at}", domain: other, descriptors: [${byPath}] }] } }`, host)}
${route('refused', `{ remoteRateLimit: { host: "${at}", domain: shop, descriptors: [${byPath}] }, authorization: { rules: ["false"] } }`, host)}
`

suite('a rate limit service', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let service: CountingService
  before(async () => {
    upstream = await startEcho('upstream')
    service = await startCounting(3)
    daemon = await startDaemon(configuration(upstream.host, service.host))
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await daemon.stop('SIGKILL')
  })
  beforeEach(() => {
    service.heard.length = 0
    service.answer = (counted) => counted
    upstream.asked.length = 0
  })

  const get = (target: string, asked: RequestParts = {}) => sendRequest(daemon.url('default'), target, asked)

  const standing = ({ headers }: Awaited<ReturnType<typeof get>>) =>
    ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])

  test('limits requests, and its standing is in the headers of every reply', async () => {
    for (const remaining of ['2', '1', '0'])
      assert.deepEqual(standing(await get('/plain/a')), ['3', remaining, '42'])
    const refused = await get('/plain/a')
    assert.deepEqual([refused.status, refused.text], [429, 'rate limit exceeded'])
    assert.deepEqual(standing(refused), ['3', '0', '42'])
    assert.equal(upstream.asked.length, 3)
    assert.equal((await get('/plain/b')).status, 200)
  })

  test('counts requests of two gateways together', async () => {
    await using other = await startDaemon(configuration(upstream.host, service.host))
    const bases = [daemon.url('default'), other.url('default')]
    const statuses: number[] = []
    for (let i = 0; i < 6; i++)
      statuses.push((await sendRequest(bases[i % 2]!, '/shared', { headers: { 'x-client': 'ann' } })).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429])
  })

  test('receives the configured descriptors', async () => {
    assert.deepEqual(standing(await get('/several', { headers: { 'x-cost': 'xx' } })), ['2', '0', '42'])
    const [{ domain, descriptors, hitsAddend } = assert.fail()] = service.heard
    assert.deepEqual([domain, hitsAddend], ['shop', 0])
    assert.deepEqual(
      descriptors.map(({ entries, hitsAddend: own, limit: override }) => [
        entries.map(({ key, value }) => `${key}=${value}`).join(),
        own,
        override?.unit,
        override?.requestsPerUnit,
      ]),
      [
        ['path=/several', undefined, undefined, undefined],
        ['a=1,b=2', 2n, 3, 2],
      ],
    )
  })

  test('receives the cost of a request, or 1 if it cannot be evaluated', async () => {
    await get('/costly', { headers: { 'x-cost': '2' } })
    await get('/costly', { headers: { 'x-cost': '-5' } })
    await get('/costly')
    assert.deepEqual(
      service.heard.map(({ hitsAddend, descriptors }) => [hitsAddend, descriptors[0]?.hitsAddend]),
      [
        [2, 2n],
        [1, 1n],
        [1, 1n],
      ],
    )
  })

  test('is not called without descriptors, or for a refused request', async () => {
    assert.equal((await get('/shared')).status, 200)
    assert.equal((await get('/refused')).status, 403)
    assert.equal((await get('/perhaps')).status, 200)
    assert.equal(service.heard.length, 0)
    assert.equal((await get('/perhaps', { method: 'POST' })).status, 200)
    assert.equal(service.heard[0]?.domain, 'other')
  })

  test('can refuse with its own body, and add headers to request and reply', async () => {
    const header = (key: string, value: string) => create(HeaderValueSchema, { key, value })
    service.answer = (counted) => ({
      ...counted,
      rawBody: Buffer.from('{"slow":"down"}'),
      responseHeadersToAdd: [header('Content-Type', 'application/json'), header('x-why', 'much')],
      requestHeadersToAdd: [header('x-tier', 'free'), header('host', 'other')],
    })
    const passed = await get('/plain/c', { headers: { 'x-tier': 'gold' } })
    assert.deepEqual([passed.headers['x-why'], echoed(passed).headers['x-tier']], ['much', 'free'])
    await get('/plain/c')
    await get('/plain/c')
    const { status, headers, text } = await get('/plain/c')
    assert.deepEqual(
      [status, headers['content-type'], headers['x-why'], text],
      [429, 'application/json', 'much', '{"slow":"down"}'],
    )
  })

  test('that is slow, down or gives no verdict refuses, unless configured otherwise', async () => {
    const shut = await get('/shut')
    assert.deepEqual([shut.status, shut.text], [500, 'rate limit failed'])
    assert.equal((await get('/open')).status, 200)
    service.answer = () => new Promise(() => undefined)
    assert.equal((await get('/quick')).status, 500)
    service.answer = () => create(RateLimitResponseSchema)
    assert.equal((await get('/plain/d')).status, 429)
  })
})
