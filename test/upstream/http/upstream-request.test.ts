import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { outgoing } from '../../../src/upstream/http/upstream-request.ts'
import { streamBody } from '../../support/stream-body.ts'

test('an upstream request', async (t) => {
  await t.test('is not copied if it does not change', () => {
    const { request } = exchange({ headers: { host: 'gateway.test', accept: '*/*' } })
    assert.equal(outgoing(request, undefined).headers, request.headers.raw)
  })

  await t.test('has the name of its backend', () => {
    const { request } = exchange({ headers: { accept: '*/*', host: 'gateway.test', 'x-a': '1' } })
    const { headers } = outgoing(request, 'api.test:8080')
    assert.deepEqual(headers, ['accept', '*/*', 'host', 'api.test:8080', 'x-a', '1'])
    assert.equal(request.headers.get('host'), 'gateway.test')
  })

  await t.test('keeps an authority that a policy has set', () => {
    const { request } = exchange({ headers: { host: 'rewritten.test' }, authority: 'rewritten.test' })
    request.authorityFixed = true
    assert.deepEqual(outgoing(request, 'api.test').headers, ['host', 'rewritten.test'])
  })

  await t.test('has a host, in first position, even if it had none', () => {
    const { request } = exchange({ headers: { accept: '*/*' } })
    assert.deepEqual(outgoing(request, undefined).headers, ['host', 'gateway.test', 'accept', '*/*'])
  })

  await t.test('has a length that fits its body', () => {
    const headers = { host: 'gateway.test', 'content-length': '3' }
    const changed = exchange({ method: 'POST', headers, body: 'longer' }).request
    assert.deepEqual(outgoing(changed, undefined).headers, ['host', 'gateway.test', 'content-length', '6'])
    const streamed = exchange({ method: 'POST', headers, body: streamBody(['abc']) }).request
    assert.deepEqual(outgoing(streamed, undefined).headers, ['host', 'gateway.test'])
    const fits = exchange({ method: 'POST', headers, body: new BufferBody('abc') }).request
    assert.equal(outgoing(fits, undefined).headers, fits.headers.raw)
  })

  await t.test('has this gateway in CDN-Loop, once, whatever policies have made of the field', () => {
    const { request } = exchange({ headers: { host: 'gateway.test', accept: '*/*' } })
    request.cdnLoop = 'fastly, agentgateway'
    const expected = ['host', 'gateway.test', 'accept', '*/*', 'cdn-loop', 'fastly, agentgateway']
    assert.deepEqual(outgoing(request, undefined).headers, expected)
    request.headers.append('cdn-loop', 'fastly')
    request.headers.append('cdn-loop', 'other')
    assert.deepEqual(outgoing(request, undefined).headers, expected)
    request.cdnLoop = undefined
    assert.equal(outgoing(request, undefined).headers, request.headers.raw)
  })

  await t.test("keeps the client's header case if configured", () => {
    const { request } = exchange()
    request.headers = new Headers(['host', 'gateway.test', 'x-api', '1'], new Map([['x-api', 'X-API']]))
    assert.deepEqual(outgoing(request, 'api.test').headers, ['host', 'api.test', 'X-API', '1'])
  })

  await t.test('keeps repeated fields', () => {
    const { request } = exchange({ headers: { cookie: ['a', 'b'] } })
    assert.deepEqual(outgoing(request, 'api.test').headers, [
      'host',
      'api.test',
      'cookie',
      'a',
      'cookie',
      'b',
    ])
  })
})
