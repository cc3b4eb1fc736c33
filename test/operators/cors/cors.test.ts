import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pipe } from 'rxjs'
import type { Cors } from '../../../src/operators/cors/schema.ts'
import { deny } from '../../../src/model/exchange/reply.ts'
import { cors } from '../../../src/operators/cors/cors.ts'
import { onRequest } from '../../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run, TraceRecorder } from '../../../src/testing/index.ts'

const policy: Cors = {
  allowOrigins: ['https://a.test'],
  allowMethods: ['GET', 'PUT'],
  allowHeaders: ['x-one', 'x-two'],
  exposeHeaders: ['x-id', 'x-time'],
  allowCredentials: false,
  maxAgeMs: 90_500,
}

const ask = (
  change: Partial<Cors>,
  method: string,
  headers: Record<string, string>,
  upstream = fakeUpstream(200, { 'x-id': '1' }),
) => {
  const { request, reply } = cors({ ...policy, ...change })
  return run(pipe(request, upstream, reply), exchange({ method, headers })).reply?.headers
}
const preflight = (change: Partial<Cors>, headers: Record<string, string> = {}) =>
  ask(change, 'OPTIONS', { origin: 'https://a.test', 'access-control-request-method': 'PUT', ...headers })
const origin = { origin: 'https://a.test' }

test('cors', async (t) => {
  await t.test('obeys the laws of operators in both directions', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { request, reply } = cors(policy)
      await operatorLaws(request, { exchange: { method, headers: origin } })
      await operatorLaws(reply, { exchange: { method, headers: origin } })
    }
  })

  await t.test('replies 200 to a preflight, before later stages', () => {
    const next = onRequest('next', () => assert.fail('it went on'))
    const { request } = cors(policy)
    const { reply } = run(pipe(request, next), exchange({ method: 'OPTIONS', headers: origin }))
    assert.deepEqual([reply?.status, reply?.body.lengthBytes, reply?.reason], [200, 0, 'DirectResponse'])
  })

  await t.test('states in a preflight reply what is allowed, and for how many whole seconds', () => {
    assert.deepEqual(preflight({})?.raw, [
      ...['access-control-allow-origin', 'https://a.test'],
      ...['access-control-allow-methods', 'GET,PUT'],
      ...['access-control-allow-headers', 'x-one,x-two'],
      ...['access-control-expose-headers', 'x-id,x-time', 'access-control-max-age', '90'],
      ...['vary', 'Origin'],
    ])
  })

  await t.test('allows any method as * without credentials, and by name with credentials', () => {
    const any = { allowMethods: ['*'] }
    assert.equal(preflight(any)?.get('access-control-allow-methods'), '*')
    assert.equal(preflight({ ...any, allowCredentials: true })?.get('access-control-allow-methods'), 'PUT')
  })

  await t.test('echoes the requested headers if any header is allowed', () => {
    const asked = preflight({ allowHeaders: ['*'] }, { 'access-control-request-headers': 'x-a,x-b ,  x-c' })
    assert.equal(asked?.get('access-control-allow-headers'), 'x-a, x-b, x-c')
    assert.equal(preflight({ allowHeaders: ['*'] })?.has('access-control-allow-headers'), false)
  })

  await t.test('replies 200 without CORS headers to the preflight of another origin', () => {
    const headers = preflight({}, { origin: 'https://evil.test' })
    assert.deepEqual(headers?.raw, ['vary', 'Origin'])
  })

  await t.test('forwards OPTIONS without an Origin to the upstream', () => {
    assert.equal(ask({}, 'OPTIONS', {})?.get('x-id'), '1')
  })

  await t.test('adds headers to replies for an allowed origin', () => {
    assert.deepEqual(ask({ allowCredentials: true }, 'GET', origin)?.raw, [
      ...['x-id', '1'],
      ...['access-control-allow-origin', 'https://a.test'],
      ...['access-control-allow-credentials', 'true'],
      ...['access-control-expose-headers', 'x-id,x-time'],
      ...['vary', 'Origin'],
    ])
  })

  await t.test('adds headers to refusals, so that pages can read them', () => {
    const refuse = onRequest('refuse', () => deny(401, 'no_token'))
    assert.equal(ask({}, 'GET', origin, refuse)?.get('access-control-allow-origin'), 'https://a.test')
  })

  await t.test('replaces CORS headers of the upstream', () => {
    const upstream = fakeUpstream(200, { 'access-control-allow-origin': '*' })
    assert.deepEqual(ask({}, 'GET', origin, upstream)?.all('access-control-allow-origin'), ['https://a.test'])
  })

  await t.test('adds no headers for other origins, and for requests without one', () => {
    assert.deepEqual(ask({}, 'GET', { origin: 'https://evil.test' })?.raw, ['x-id', '1', 'vary', 'Origin'])
    assert.deepEqual(ask({}, 'GET', {})?.raw, ['x-id', '1', 'vary', 'Origin'])
  })

  await t.test('adds Origin to Vary once', () => {
    const vary = (value: string) => ask({}, 'GET', origin, fakeUpstream(200, { vary: value }))?.all('vary')
    assert.deepEqual(vary('Accept'), ['Accept, Origin'])
    assert.deepEqual(vary('accept, origin'), ['accept, origin'])
    assert.deepEqual(vary('*'), ['*'])
    assert.deepEqual(vary('X-Original'), ['X-Original, Origin'])
  })

  await t.test('keeps the Origin that a later policy removed', () => {
    const { request, reply } = cors(policy)
    const remove = onRequest('remove', (x) => {
      x.request.headers.delete('origin')
    })
    const x = run(pipe(request, remove, fakeUpstream(200), reply), exchange({ headers: origin }))
    assert.equal(x.reply?.headers.get('access-control-allow-origin'), 'https://a.test')
  })

  await t.test('traces its decision', () => {
    const results = [{}, origin, { origin: 'https://evil.test' }].map((headers: Record<string, string>) => {
      const trace = new TraceRecorder()
      run(cors(policy).request, exchange({ headers, trace }))
      return trace.entries.map((note) => note.type === 'policy' && `${note.kind} ${note.result.type}`)
    })
    assert.deepEqual(results, [['cors skip'], ['cors apply'], ['cors skip']])
  })
})
