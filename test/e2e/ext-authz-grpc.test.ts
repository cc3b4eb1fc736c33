import type { MessageInitShape } from '@bufbuild/protobuf'
import { status } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import {
  Authorization,
  type CheckRequest,
  type CheckResponseSchema,
} from '../../src/protocols/grpc/ext-authz.gen.ts'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { type GrpcServer, grpcServer, unary } from '../support/grpc-server.ts'

type Answer = MessageInitShape<typeof CheckResponseSchema>

/** Routes by the first segment of the path. */
const route = (name: string, policies: string, host: string, backend = ''): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    backends: [{ host: "${host}"${backend} }]`

const configuration = (host: string, at: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  guarded: { port: 0, address: 127.0.0.1, extAuthz: { host: "${at}" } }
backends:
  - name: decider
    host: "${at}"
routes:
${route('plain', `{ extAuthz: { host: "${at}" } }`, host)}
${route('named', `{ extAuthz: { backend: decider, policies: { requestHeaderModifier: { set: { x-caller: gateway } } } } }`, host)}
${route('told', `{ extAuthz: { host: "${at}", includeRequestHeaders: [x-a, ':path', ':method', ':authority', ':scheme'], protocol: { grpc: { context: { shop: north }, metadata: { "my.space": "{'path': request.path, 'n': 2}", bad: "request.headers['none']" } } } } }`, host)}
${route('body', `{ extAuthz: { host: "${at}", includeRequestBody: { maxRequestBytes: 5 } } }`, host)}
${route('part', `{ extAuthz: { host: "${at}", includeRequestBody: { maxRequestBytes: 5, allowPartialMessage: true, packAsBytes: true } } }`, host)}
${route('open', `{ extAuthz: { host: "127.0.0.1:1", failureMode: allow, resultHeaders: [x-user] } }`, host)}
${route('shut', `{ extAuthz: { host: "127.0.0.1:1" } }`, host)}
${route('gone', `{ extAuthz: { host: "127.0.0.1:1", failureMode: { denyWithStatus: 503 } } }`, host)}
${route('results', `{ extAuthz: { host: "${at}", resultHeaders: [X-User] } }`, host)}
${route('rules', `{ extAuthz: { host: "${at}" }, transformations: { request: { set: { x-level: "string(extauthz.level)" } } }, authorization: { rules: ["extauthz.level == 3.0"] } }`, host)}
${route('perhaps', `{ extAuthz: { conditional: [{ condition: "request.method == 'POST'", host: "${at}", resultHeaders: [x-user] }] } }`, host)}
${route('backend', '{}', host, `, policies: { extAuthz: { host: "${at}" } }`)}
${route('quick', `{ extAuthz: { host: "${at}", policies: { http: { requestTimeout: 50ms } } } }`, host)}
${route('patient', `{ extAuthz: { host: "${at}", policies: { http: { requestTimeout: 60s } } } }`, host)}
${route('cached', `{ extAuthz: { host: "${at}", cache: { key: ["request.headers['x-key']"], ttl: "duration('60s')" } } }`, host)}
${route('free', '{}', host)}
  - name: guarded
    gateways: guarded
    backends: [{ host: "${host}" }]
`

suite('an extAuthz gRPC service', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  let server: GrpcServer
  let decide: (request: CheckRequest) => Answer | Promise<Answer>
  let caller: string
  let cancelled: (request: CheckRequest) => unknown
  const heard: CheckRequest[] = []
  before(async () => {
    upstream = await startEcho('upstream')
    server = await grpcServer([
      unary(Authorization.method.check, (request, call) => {
        heard.push(request)
        caller = String(call.metadata.get('x-caller'))
        call.on('cancelled', () => cancelled(request))
        return decide(request)
      }),
    ])
    daemon = await startDaemon(configuration(upstream.host, server.host))
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await daemon.stop('SIGKILL')
  })
  beforeEach(() => {
    heard.length = 0
    upstream.asked.length = 0
    decide = () => ({ status: { code: 0 } })
    cancelled = () => undefined
  })

  const get = (target: string, asked: RequestParts = {}, gateway = 'default') =>
    sendRequest(daemon.url(gateway), target, {
      ...asked,
      headers: { host: 'shop.example', ...asked.headers },
    })

  test('gets the attributes of the request as Envoy sends them', async () => {
    const headers = { 'x-a': ['1', '2'], 'x-request-id': 'r1', 'x-name': 'J\u00c3\u00bcrgen' }
    assert.equal((await get('/plain/x?q=1', { method: 'PUT', headers })).status, 200)
    const { source, destination, request, contextExtensions } = heard[0]!.attributes!
    const { id, method, path, host, scheme, protocol, size, headers: fields, body } = request!.http!
    assert.deepEqual(
      [id, method, path, host, scheme, protocol, size, body],
      ['r1', 'PUT', '/plain/x?q=1', 'shop.example', 'http', 'HTTP/1.1', 0n, ''],
    )
    assert.deepEqual([fields['x-a'], fields['x-name'], fields[':path']], ['1, 2', 'Jürgen', '/plain/x?q=1'])
    assert.deepEqual(contextExtensions, {})
    const [from, to] = [source, destination].map((peer) => peer?.address?.address.value)
    assert.ok(from && 'address' in from && to && 'address' in to)
    assert.equal(from.address, '127.0.0.1')
    assert.equal(String(to.portSpecifier.value), new URL(daemon.url('default')).port)
    assert.ok(request?.time)
  })

  test('gets the configured headers, context and metadata only', async () => {
    await get('/told', { headers: { 'x-a': '1', 'x-b': '2' } })
    const { request, contextExtensions, metadataContext } = heard[0]!.attributes!
    assert.deepEqual(request!.http!.headers, {
      'x-a': '1',
      ':path': '/told',
      ':method': 'GET',
      ':authority': 'shop.example',
      ':scheme': 'http',
    })
    assert.deepEqual(contextExtensions, { shop: 'north' })
    assert.deepEqual(metadataContext!.filterMetadata, { 'my.space': { path: '/told', n: 2 } })
  })

  test('is called with the headers of its backend policies', async () => {
    await get('/named')
    assert.equal(caller, 'gateway')
  })

  test('gets a body within the limit, and so does the upstream', async () => {
    const { body } = echoed(await get('/body', { method: 'POST', body: 'short' }))
    assert.equal(body, 'short')
    const http = heard[0]!.attributes!.request!.http!
    assert.deepEqual(
      [http.body, http.headers['x-envoy-auth-partial-body'], http.size],
      ['short', 'false', 5n],
    )
    const { status } = await get('/body', { method: 'POST', body: 'longer' })
    assert.deepEqual([status, heard.length], [413, 1])
  })

  test('gets the beginning of a longer body if configured', async () => {
    const { body } = echoed(await get('/part', { method: 'POST', body: 'longer by far' }))
    assert.equal(body, 'longer by far')
    const http = heard[0]!.attributes!.request!.http!
    assert.deepEqual(
      [Buffer.from(http.rawBody).toString(), http.headers['x-envoy-auth-partial-body']],
      ['longe', 'true'],
    )
  })

  test('changes headers and query of the request, and headers of the reply', async () => {
    decide = () => ({
      status: { code: 0 },
      httpResponse: {
        case: 'okResponse',
        value: {
          headers: [
            { header: { key: 'X-User', value: 'ann' } },
            { header: { key: 'x-many', value: 'two' }, append: true },
            { header: { key: 'x-new', value: 'no' }, appendAction: 3 },
            { header: { key: 'x-if', value: 'yes' }, appendAction: 1 },
            { header: { key: 'content-length', value: '99' } },
          ],
          headersToRemove: ['Authorization', 'host'],
          responseHeadersToAdd: [
            { header: { key: 'set-cookie', value: 'a=1' } },
            { header: { key: 'set-cookie', value: 'b=2' } },
          ],
          queryParametersToSet: [{ key: 'user', value: 'a&b' }],
          queryParametersToRemove: ['tok en'],
        },
      },
    })
    const headers = { 'x-user': 'eve', 'x-many': 'one', authorization: 'Bearer x' }
    const answer = await get('/plain?a=%31&tok+en=s&user=eve&b', { headers })
    const { target, headers: sent } = echoed(answer)
    assert.equal(target, '/plain?a=%31&b&user=a%26b')
    assert.deepEqual(
      ['x-user', 'x-many', 'x-new', 'x-if', 'authorization', 'content-length'].map((name) => sent[name]),
      ['ann', 'one, two', undefined, 'yes', undefined, undefined],
    )
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  })

  test('returns metadata that rules and later expressions read', async () => {
    decide = ({ attributes }) => ({
      status: { code: 0 },
      dynamicMetadata: { level: Number(attributes?.request?.http?.headers['x-level']) },
    })
    const answer = await get('/rules', { headers: { 'x-level': '3' } })
    assert.equal(echoed(answer).headers['x-level'], '3')
    assert.equal((await get('/rules', { headers: { 'x-level': '2' } })).status, 403)
  })

  test('refuses with its own reply, or with the local reply', async () => {
    decide = () => ({
      status: { code: 16 },
      httpResponse: {
        case: 'deniedResponse',
        value: {
          status: { code: 401 },
          headers: [{ header: { key: 'www-authenticate', value: 'Basic' } }],
          body: 'who?',
        },
      },
    })
    const own = await get('/plain')
    assert.deepEqual(
      [own.status, own.text, own.headers['www-authenticate'], own.headers['content-type']],
      [401, 'who?', 'Basic', 'text/plain'],
    )
    decide = () => ({ status: { code: 7 } })
    const ours = await get('/plain')
    assert.deepEqual([ours.status, ours.text], [403, 'external authorization failed'])
    assert.equal(upstream.asked.length, 0)
  })

  const unclear: Readonly<Record<string, Answer>> = {
    'an empty answer': {},
    'a yes with a refusal inside': {
      status: { code: 0 },
      httpResponse: { case: 'deniedResponse', value: {} },
    },
    'an error': { httpResponse: { case: 'errorResponse', value: { status: { code: 500 } } } },
    'a refusal with a status that is none': {
      status: { code: 7 },
      httpResponse: { case: 'deniedResponse', value: { status: { code: 100 } } },
    },
  }
  for (const [name, answer] of Object.entries(unclear))
    test(`refuses with ${name}`, async () => {
      decide = () => answer
      assert.equal((await get('/plain')).status, 403)
    })

  test('that fails, is slow or is down refuses, unless failureMode allows', async () => {
    decide = () => Promise.reject(Object.assign(new Error('no'), { code: status.INTERNAL }))
    assert.equal((await get('/plain')).text, 'external authorization failed')
    assert.equal((await get('/shut')).status, 403)
    assert.equal((await get('/gone')).status, 503)
    const answer = await get('/open', { headers: { 'x-user': 'eve' } })
    assert.equal(echoed(answer).headers['x-user'], undefined)
    decide = () => new Promise(() => undefined)
    assert.equal((await get('/quick')).status, 403)
  })

  test('does not delay other requests if slow, and is cancelled if the client leaves', async () => {
    let asked: () => void
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    const left = new Promise<void>((resolve) => {
      // Calls that earlier tests abandoned may be cancelled only now.
      cancelled = ({ attributes }) => attributes?.request?.http?.path === '/patient' && resolve()
    })
    decide = () => {
      asked()
      return new Promise(() => undefined)
    }
    const { port } = new URL(daemon.url('default'))
    const caller = connect(Number(port), '127.0.0.1')
    caller.write('GET /patient HTTP/1.1\r\nhost: shop.example\r\n\r\n')
    await isAsked
    assert.equal((await get('/free')).status, 200)
    caller.resetAndDestroy()
    await left
  })

  test('is the only source of the headers that it sets', async () => {
    const forged = { headers: { 'x-user': 'eve' } }
    assert.equal(echoed(await get('/results', forged)).headers['x-user'], undefined)
    assert.equal(heard[0]!.attributes!.request!.http!.headers['x-user'], 'eve')
    assert.equal(echoed(await get('/perhaps', forged)).headers['x-user'], undefined)
    assert.equal(echoed(await get('/perhaps', { ...forged, method: 'POST' })).headers['x-user'], undefined)
    assert.equal(heard.length, 2)
  })

  test('decides for a whole gateway, and for a backend', async () => {
    assert.equal((await get('/nothing-here', {}, 'guarded')).status, 200)
    assert.equal((await get('/backend')).status, 200)
    assert.equal(heard.length, 2)
    decide = () => ({ status: { code: 7 } })
    assert.equal((await get('/', {}, 'guarded')).status, 403)
    assert.equal((await get('/backend')).status, 403)
  })

  test('is called once for a cached decision', async () => {
    decide = ({ attributes }) => ({
      status: { code: attributes?.request?.http?.headers['x-key'] === 'bad' ? 7 : 0 },
      httpResponse: { case: undefined },
    })
    for (const [key, expected] of [
      ['good', 200],
      ['good', 200],
      ['bad', 403],
      ['bad', 403],
    ] as const)
      assert.equal((await get('/cached', { headers: { 'x-key': key } })).status, expected)
    assert.equal(heard.length, 2)
    await get('/cached')
    await get('/cached')
    assert.equal(heard.length, 4, 'without a key there is nothing to remember by')
  })
})
