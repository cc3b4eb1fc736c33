import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { ExchangeContext } from '../../../src/cel/context/exchange-context.ts'
import { toPlain } from '../../../src/cel/values/values.ts'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { Reply } from '../../../src/model/exchange/reply.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { ManualBody } from '../../../src/testing/manual-body.ts'

const valueOf = (x: Exchange, text: string): unknown => {
  const { value, error } = compile(text).evaluate(new ExchangeContext(x))
  return error ? error.code : toPlain(value)
}

test('the context of an exchange', async (t) => {
  await t.test('shows the current request', () => {
    const x = exchange({
      method: 'PUT',
      path: '/a/b?c=1',
      scheme: 'https',
      authority: 'api.test:8443',
      httpVersion: '2',
      headers: { 'x-team': ['blue', 'red'] },
      body: 'hello',
    })
    const expected = {
      'request.method': 'PUT',
      'request.uri': 'https://api.test:8443/a/b?c=1',
      'request.host': 'api.test:8443',
      'request.scheme': 'https',
      'request.path': '/a/b',
      'request.pathAndQuery': '/a/b?c=1',
      'request.version': 'HTTP/2.0',
      'request.headers["X-Team"]': ['blue', 'red'],
      'string(request.body)': 'hello',
      'request.endTime': 'no_such_key',
    }
    for (const [text, value] of Object.entries(expected)) assert.deepEqual(valueOf(x, text), value, text)
    const started = Date.parse(valueOf(x, 'request.startTime') as string)
    assert.ok(Math.abs(Date.now() - started) < 60_000)
    x.request.path = '/rewritten'
    assert.equal(valueOf(x, 'request.path'), '/rewritten')
  })

  await t.test('has no body while it is incomplete, and an empty one if there is none', () => {
    assert.equal(valueOf(exchange(), 'size(request.body)'), 0)
    assert.equal(valueOf(exchange({ body: new ManualBody() }), 'size(request.body)'), 'body_unavailable')
  })

  await t.test('shows the prefix of a body that is longer than the buffer limit', () => {
    const x = exchange({ body: new ManualBody() })
    x.request.bodyPrefix = Buffer.from('abcd')
    assert.equal(valueOf(x, 'string(request.bodyPrefix)'), 'abcd')
    assert.equal(valueOf(x, 'size(request.body)'), 'body_unavailable')
    x.reply = new Reply(200, Headers.of({}), new ManualBody(), 'Upstream')
    x.reply.bodyPrefix = Buffer.from('efgh')
    assert.equal(valueOf(x, 'string(response.bodyPrefix)'), 'efgh')
  })

  await t.test('shows the prefix of a body that was replaced', () => {
    const x = exchange({ body: new BufferBody('efghij') })
    assert.equal(valueOf(x, 'string(request.bodyPrefix)'), 'efghij')
    x.request.bodyPrefix = Buffer.from('abcd')
    assert.equal(valueOf(x, 'string(request.bodyPrefix)'), 'efgh')
  })

  await t.test('has a response once there is a reply', () => {
    const x = exchange()
    assert.equal(valueOf(x, 'response.code'), 'unknown_variable')
    assert.equal(valueOf(x, 'has(response)'), false)
    const headers = Headers.of({ 'grpc-status': '14', 'x-a': '1' })
    x.reply = new Reply(200, headers, new BufferBody('{"ok":true}'), 'Upstream')
    assert.deepEqual(
      ['response.code', 'response.grpcStatus', 'response.headers["x-a"]', 'json(response.body).ok'].map(
        (text) => valueOf(x, text),
      ),
      [200, 14, '1', true],
    )
  })

  await t.test('describes the client by its connection and certificate', () => {
    const x = exchange({
      connection: {
        sourceAddress: '203.0.113.7',
        sourcePort: 4000,
        rawAddress: '10.0.0.1',
        rawPort: 5000,
        destinationAddress: '10.0.0.2',
        destinationPort: 443,
        connectHeaders: ['X-Via', 'tunnel'],
        tls: {
          serverName: 'api.test',
          alpn: 'h2',
          version: 'TLSv1.3',
          client: {
            subject: 'CN=cart',
            subjectCn: 'cart',
            issuer: 'CN=ca',
            subjectAltNames: ['URI:spiffe://td/ns/shop/sa/cart'],
            spiffeId: 'spiffe://td/ns/shop/sa/cart',
            pem: 'PEM',
          },
        },
      },
    })
    const expected = {
      'source.address + " " + string(source.port)': '203.0.113.7 4000',
      'source.rawAddress + " " + string(source.rawPort)': '10.0.0.1 5000',
      'source.identity.trustDomain + source.identity.namespace + source.identity.serviceAccount':
        'tdshopcart',
      'source.subject + source.subjectCn + source.issuer + source.certificate': 'CN=cartcartCN=caPEM',
      'source.subjectAltNames': ['URI:spiffe://td/ns/shop/sa/cart'],
      'source.connectHeaders["x-via"]': 'tunnel',
      'destination.hostname + destination.address + string(destination.port)': 'api.test10.0.0.2443',
    }
    for (const [text, value] of Object.entries(expected)) assert.deepEqual(valueOf(x, text), value, text)
    for (const field of ['identity', 'spiffeId', 'subject', 'connectHeaders'])
      assert.equal(valueOf(exchange(), `source.${field}`), 'no_such_key')
  })

  await t.test('has the listener, route and backend of the exchange, and its duration', () => {
    const x = exchange({
      labels: { bind: 'bind/80', gateway: 'ns/edge', listener: 'web', route: 'ns/api', routeRule: 'r1' },
    })
    x.upstream.backend = { name: 'ns/api', type: 'static', protocol: 'http' }
    assert.equal(valueOf(x, 'proxy.upstreamDuration'), 'no_such_key')
    x.upstream.startedAt = x.request.startedAt + 10
    x.upstream.respondedAt = x.upstream.startedAt + 250
    x.downstream.endedAt = x.upstream.respondedAt + 5
    const expected = {
      'proxy.bind': 'bind/80',
      'proxy.gateway.namespace + "/" + proxy.gateway.name': 'ns/edge',
      'proxy.listener.name': 'web',
      'proxy.route.name + proxy.route.rule': 'apir1',
      'backend.name + backend.type + backend.protocol': 'ns/apistatichttp',
      'proxy.upstreamDuration > duration("249ms") && proxy.upstreamDuration < duration("251ms")': true,
      'proxy.requestProcessingDuration < duration("11ms")': true,
      'proxy.responseProcessingDuration < duration("6ms")': true,
      'request.endTime > request.startTime': true,
    }
    for (const [text, value] of Object.entries(expected)) assert.deepEqual(valueOf(x, text), value, text)
    assert.equal(valueOf(exchange(), 'proxy.route.name'), 'no_such_key')
    assert.equal(valueOf(exchange(), 'backend.name'), 'unknown_variable')
  })

  await t.test('has the metadata of policies, the process, and its sensitive headers', () => {
    const x = exchange({ headers: { 'x-token': 't', authorization: 'a' } })
    x.policy.metadata = { tenant: 'blue' }
    const context = new ExchangeContext(x, {
      env: { podName: 'p-1' },
      sensitiveHeaders: new Set(['x-token']),
    })
    const values = ['metadata.tenant', 'env.podName', 'toJson(request.headers.redacted())'].map(
      (text) => compile(text).evaluate(context).value,
    )
    assert.deepEqual(values, ['blue', 'p-1', '{"x-token":"<redacted>","authorization":"a"}'])
    assert.equal(valueOf(exchange(), 'metadata.tenant'), 'unknown_variable')
  })
})
