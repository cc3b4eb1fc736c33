import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRequests } from '../../../src/cli/recorded/read-requests.ts'
import type { RecordedRequest } from '../../../src/cli/recorded/recorded-request.ts'
import type { Assumptions } from '../../../src/cli/offline/undecided-policies.ts'
import { ReplayGateway } from '../../../src/cli/replay/replay-gateway.ts'
import { replayRequests } from '../../../src/cli/replay/replay-requests.ts'
import type { ReplayedRequest } from '../../../src/cli/replay/replayed-request.ts'
import { StandIn } from '../../../src/cli/replay/stand-in.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { createGateway } from '../../../src/create-gateway.ts'
import type { TraceEvent } from '../../../src/model/trace/trace-event.ts'
import { sendRequest } from '../../support/send-request.ts'
import { lineCollector } from '../../support/line-collector.ts'
import { startUpstream } from '../../support/upstream.ts'

const replay = async (
  yaml: string,
  requests: readonly RecordedRequest[],
  assumptions: Assumptions = {},
  extra: readonly (readonly [string, string])[] = [],
): Promise<{ readonly replayed: readonly ReplayedRequest[]; readonly undecided: readonly string[] }> => {
  const loaded = await loadConfig({ kind: 'text', text: yaml, name: 'new.yaml' }, {})
  await using standIn = new StandIn()
  await using gateway = await ReplayGateway.open(loaded, {}, assumptions, await standIn.open())
  const target = { gateway, standIn, binds: loaded.resources.binds }
  const replayed: ReplayedRequest[] = []
  for await (const one of replayRequests(requests, target, { gateway: undefined, extra })) replayed.push(one)
  const undecided = [...gateway.offline.undecided.values()].flat().map(({ policy }) => policy)
  return { replayed, undecided }
}

const changesOf = ({ changes }: ReplayedRequest): readonly string[] =>
  changes.map(({ part, name, before, after }) => `${name ?? part}: ${before ?? 'none'} → ${after ?? 'none'}`)

test('a replay of what a gateway recorded', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'))
  t.after(() => rm(folder, { recursive: true }))
  let count = 0
  await using upstream = await startUpstream((req, res) => {
    count++
    req
      .resume()
      .on('end', () => res.writeHead(req.url === '/gone' ? 410 : 200, { 'x-from': 'real' }).end('real'))
  })
  const log = lineCollector()
  const configuration = (policies: string, backend = upstream.host) => `
config: { logging: { format: json } }
gateways: { default: { port: 0 } }
frontendPolicies:
  accessLog:
    add:
      request.headers: request.headers
      request.body: string(request.body)
      response.headers: response.headers
      response.body: string(response.body)
routes:
  - name: all
    policies: { ${policies} }
    backends: [{ backend: api }]
backends: [{ name: api, host: '${backend}' }]
`
  await using gateway = await createGateway(configuration(''), { log })
  const events: TraceEvent[] = []
  gateway.trace$.subscribe((event) => events.push(event))
  const url = gateway.addresses[0]?.url.replace('[::]', '127.0.0.1') ?? ''
  const credential = { authorization: 'Bearer abcdefgh12345', 'x-team': 'blue' }
  await sendRequest(url, '/a?b=c', { headers: credential })
  await sendRequest(url, '/orders', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: 'tea',
  })
  await sendRequest(url, '/gone')
  while (events.filter(({ message }) => message.type === 'requestFinished').length < 3)
    await new Promise((resolve) => setImmediate(resolve))
  const file = async (name: string, lines: readonly string[]) => {
    await writeFile(join(folder, name), lines.join('\n'))
    return readRequests(join(folder, name))
  }
  const traced = await file(
    'trace.jsonl',
    events.map((event) => JSON.stringify(event)),
  )
  const logged = await file('access.log', log.lines)

  await t.test('reads the same requests from the trace and from the access log', () => {
    const shape = ({ method, url: address, outcome: { status, route } }: RecordedRequest) => [
      method,
      address.replace(/:\d+/, ''),
      status,
      route,
    ]
    assert.deepEqual(traced.map(shape), [
      ['GET', 'http://127.0.0.1/a?b=c', 200, 'default/all'],
      ['POST', 'http://127.0.0.1/orders', 200, 'default/all'],
      ['GET', 'http://127.0.0.1/gone', 410, 'default/all'],
    ])
    assert.deepEqual(logged.map(shape), traced.map(shape))
    assert.deepEqual(traced[0]?.redacted, ['authorization'])
    assert.deepEqual(logged[0]?.redacted, ['authorization'])
    assert.equal(logged[1]?.body?.toString(), 'tea')
    assert.equal(logged[2]?.response?.status, 410)
  })

  await t.test('finds no difference in the same configuration, and calls no real backend', async () => {
    const before = count
    const { replayed } = await replay(configuration('', 'nowhere.invalid:1'), traced)
    assert.deepEqual(replayed.map(changesOf), [[], [], []])
    assert.deepEqual(
      replayed.map(({ outcome }) => outcome.status),
      [200, 200, 410],
    )
    assert.equal(count, before)
    const { replayed: again } = await replay(configuration('', 'nowhere.invalid:1'), logged)
    assert.deepEqual(again.map(changesOf), [[], [], []])
  })

  await t.test('names what changes: status, target, fields and bodies', async () => {
    const [first, second, third] = traced
    const { outcome } = second ?? assert.fail()
    assert.ok(first && second && third && outcome.sent && second.isCut)
    // A trace with bodies has them.
    const body = Buffer.from('tea')
    const posted = { ...second, body, isCut: false, outcome: { ...outcome, sent: { ...outcome.sent, body } } }
    const { replayed } = await replay(
      configuration(`
        authorization: { rules: [{ deny: "request.path == '/gone'" }] },
        urlRewrite: { path: { prefix: /v2 } },
        requestHeaderModifier: { set: { x-team: red } },
        transformations: { request: { body: "request.method == 'POST' ? 'coffee' : ''" } }`),
      [first, posted, third],
    )
    assert.deepEqual(replayed.map(changesOf), [
      ['target: /a?b=c → /v2/a?b=c', 'x-team: blue → red'],
      ['target: /orders → /v2/orders', 'x-team: none → red', 'body: tea → coffee'],
      ['status: 410 → 403', 'backend: /api → none'],
    ])
  })

  await t.test('leaves out what calls services, and says so', async () => {
    const { replayed, undecided } = await replay(
      configuration(
        `extAuthz: { host: '${upstream.host}', protocol: { http: {} } }, localRateLimit: [{ maxTokens: 1, tokensPerFill: 1, fillInterval: 1h }]`,
      ),
      traced,
    )
    assert.deepEqual(
      replayed.map(({ outcome }) => outcome.status),
      [200, 200, 410],
    )
    assert.deepEqual(undecided, ['extAuthz', 'localRateLimit'])
  })

  await t.test('sends given fields in place of redacted credentials', async () => {
    const keys = configuration('apiKey: { mode: strict, keys: [{ key: opensesame }] }')
    const { replayed } = await replay(keys, traced)
    assert.deepEqual(
      replayed.map(({ outcome, missing }) => [outcome.status, missing.length]),
      [
        [401, 1],
        [401, 0],
        [401, 0],
      ],
    )
    const { replayed: given } = await replay(keys, traced, {}, [['authorization', 'Bearer opensesame']])
    assert.deepEqual(
      given.map(({ outcome, missing }) => [outcome.status, missing.length]),
      [
        [200, 0],
        [200, 0],
        [410, 0],
      ],
    )
  })

  await t.test('shows the gateway the recorded address of the client', async () => {
    const [first] = traced
    assert.ok(first)
    const { replayed } = await replay(
      configuration(`authorization: { rules: ["source.address == '203.0.113.9'"] }`),
      [
        { ...first, clientAddress: '203.0.113.9' },
        { ...first, clientAddress: '2001:db8::1' },
      ],
    )
    assert.deepEqual(
      replayed.map(({ outcome }) => outcome.status),
      [200, 403],
    )
  })

  await t.test('does not connect to backends of TCP routes and of services', async () => {
    let connections = 0
    const outside = createTcpServer(() => connections++)
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(outside.address() as AddressInfo).port}`
    const [first] = traced
    assert.ok(first)
    const yaml = `
gateways: { default: { port: 3000, protocol: TCP } }
tcpRoutes: [{ backends: [{ host: '${host}' }] }]
`
    const { replayed } = await replay(yaml, [{ ...first, port: 3000 }])
    assert.match(replayed[0]?.failure ?? '', /^no response: /)
    assert.equal(connections, 0)
    outside.close()
  })
})

test('records that are no records', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'records-'))
  t.after(() => rm(folder, { recursive: true }))
  const read = async (content: string) => {
    const file = join(folder, 'records')
    await writeFile(file, content)
    return readRequests(file)
  }
  const none = /has no requests$/
  const get = { method: 'GET', url: 'http://shop.example/', headers: [null, { name: 'a' }] }
  const har = (entries: unknown) => JSON.stringify({ log: { entries } })

  await t.test('of a HAR file are skipped', async () => {
    const good = { request: { ...get, headers: [{ name: 'A', value: 'b' }] } }
    const requests = await read(har([null, 5, {}, { request: null }, [[]], { request: get }, good]))
    assert.deepEqual(
      requests.map(({ url, headers }) => [url, headers]),
      [['http://shop.example/', [['a', 'b']]]],
    )
    await assert.rejects(read(har([[[]]])), none)
  })

  await t.test('of a trace are skipped', async () => {
    const event = (message: object) => JSON.stringify({ requestId: 'a', eventEnd: 1, message })
    const lines = [
      { type: 'requestSnapshot', stage: 'request received', requestState: null },
      { type: 'requestSnapshot', stage: 'request received', requestState: { request: { headers: 5 } } },
      { type: 'requestSnapshot', stage: 'request received', requestState: { request: { method: 5 } } },
      { type: 'bodySnapshot', stage: 'request', body: 5 },
      { type: 'routeSelection', evaluatedRoutes: 5 },
      { type: 5 },
      { type: 'requestFinished' },
    ].map(event)
    await assert.rejects(read([...lines, '{"message":', '\u0000\u0001'].join('\n')), none)
  })
})
