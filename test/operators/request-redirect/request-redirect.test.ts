import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bind } from '../../../src/model/resources/resources.ts'
import type { RouteLabels, Snapshot } from '../../../src/model/resources/snapshot.ts'
import type { Redirect } from '../../../src/operators/request-redirect/schema.ts'
import { requestRedirect } from '../../../src/operators/request-redirect/request-redirect.ts'
import { bareSnapshot } from '../../../src/testing/bare-snapshot.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'

const location = (policy: Partial<Redirect>, from: string) => {
  const url = new URL(from)
  // `URL` drops default ports, which a client may send.
  const authority = /\/\/([^/]+)/.exec(from)?.[1] ?? ''
  const x = exchange({
    scheme: url.protocol === 'https:' ? 'https' : 'http',
    authority,
    path: url.pathname + url.search,
    match: { path: { pathPrefix: '/old' } },
  })
  return run(requestRedirect({ status: 302, ...policy }), x).reply?.headers.get('location')
}

/** The location for a request that came in at a port, with another one in its Host header. */
const locationAt = (policy: Partial<Redirect>, port: number | undefined, scheme: 'http' | 'https') => {
  const key = 'bind/test'

  const x = exchange({
    scheme,
    authority: 'a.test:9999',
    path: '/x',
    snapshot: snapshotOf(key, port),
    labels: labelsOf(key),
    connection: { destinationPort: 4321 },
  })
  return run(requestRedirect({ status: 302, port: 'listener', ...policy }), x).reply?.headers.get('location')
}

const labelsOf = (bind: string): RouteLabels => ({
  bind,
  gateway: undefined,
  listener: undefined,
  route: undefined,
  routeRule: undefined,
})

const snapshotOf = (key: string, port: number | undefined): Snapshot => {
  const resource: Bind = {
    key,
    address: '::',
    ...(port === undefined ? {} : { port }),
    protocol: 'http',
    tunnelProtocol: 'direct',
    mode: 'standard',
    listeners: [],
  }
  const labels = labelsOf(key)
  const frontend = bareSnapshot.resources.frontend
  return {
    ...bareSnapshot,
    binds: new Map([[key, { resource, frontend, listeners: [], labels, unmatched: (x$) => x$ }]]),
  }
}

const listenerCases: readonly (readonly [Partial<Redirect>, number | undefined, 'http' | 'https', string])[] =
  [
    [{}, 8080, 'http', 'http://a.test:8080/x'],
    [{}, 80, 'http', 'http://a.test/x'],
    [{}, 443, 'http', 'http://a.test:443/x'],
    [{}, 443, 'https', 'https://a.test/x'],
    [{}, 8443, 'https', 'https://a.test:8443/x'],
    [{ authority: { host: 'b.test' } }, 8080, 'http', 'http://b.test:8080/x'],
    [{ authority: { host: 'b.test' } }, 80, 'http', 'http://b.test/x'],
    [{ authority: { port: 81 } }, 8080, 'http', 'http://a.test:81/x'],
    [{ authority: { full: 'b.test' } }, 8080, 'http', 'http://b.test/x'],
    [{ scheme: 'https' }, 8080, 'http', 'https://a.test/x'],
    [{}, 0, 'http', 'http://a.test:4321/x'],
    [{}, undefined, 'http', 'http://a.test:9999/x'],
  ]

const cases: readonly (readonly [policy: Partial<Redirect>, from: string, to: string])[] = [
  [{}, 'http://a.test/x?q=1', 'http://a.test/x?q=1'],
  [{ scheme: 'https' }, 'http://a.test/x', 'https://a.test/x'],
  [{ scheme: 'https' }, 'http://a.test:8080/x', 'https://a.test/x'],
  [{ scheme: 'https' }, 'http://a.test:80/x', 'https://a.test/x'],
  [{ scheme: 'http' }, 'https://a.test:8443/x', 'http://a.test/x'],
  [{ scheme: 'http' }, 'http://a.test:8080/x', 'http://a.test:8080/x'],
  [{ authority: { host: 'b.test' } }, 'http://a.test/x', 'http://b.test/x'],
  [{ authority: { host: 'b.test' } }, 'http://a.test:8080/x', 'http://b.test:8080/x'],
  [{ authority: { host: 'b.test' } }, 'http://a.test:80/x', 'http://b.test/x'],
  [{ authority: { host: 'b.test' }, scheme: 'https' }, 'http://a.test:8080/x', 'https://b.test/x'],
  [{ authority: { port: 8443 }, scheme: 'https' }, 'http://a.test/x', 'https://a.test:8443/x'],
  [{ authority: { port: 443 }, scheme: 'https' }, 'http://a.test/x', 'https://a.test/x'],
  [{ authority: { port: 443 } }, 'http://a.test/x', 'http://a.test:443/x'],
  [{ authority: { full: 'b.test:8443' }, scheme: 'https' }, 'http://a.test:81/x', 'https://b.test:8443/x'],
  [{ authority: { full: 'b.test:443' }, scheme: 'https' }, 'http://a.test/x', 'https://b.test/x'],
  [{ authority: { full: 'b.test' } }, 'http://a.test:81/x', 'http://b.test/x'],
  [{ authority: 'auto' }, 'http://a.test:81/x', 'http://a.test:81/x'],
  [{ authority: { port: 81 } }, 'http://[::1]:80/x', 'http://[::1]:81/x'],
  [{ scheme: 'https' }, 'http://[::1]:80/x', 'https://[::1]/x'],
  [{ path: { full: '/new' } }, 'http://a.test/old/x?q=1', 'http://a.test/new?q=1'],
  [{ path: { full: '/new?p=2' } }, 'http://a.test/old/x?q=1', 'http://a.test/new?p=2'],
  [{ path: { prefix: '/new' } }, 'http://a.test/old/x?q=1', 'http://a.test/new/x?q=1'],
  [{ path: { prefix: '/' } }, 'http://a.test/old', 'http://a.test/'],
]

test('requestRedirect', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(requestRedirect({ status: 301, scheme: 'https' })),
  )

  for (const [policy, from, to] of cases)
    await t.test(`redirects ${from} to ${to} with ${JSON.stringify(policy)}`, () => {
      assert.equal(location(policy, from), to)
    })

  for (const [policy, port, scheme, to] of listenerCases)
    await t.test(`keeps the listener's port ${String(port)}: ${to} with ${JSON.stringify(policy)}`, () => {
      assert.equal(locationAt(policy, port, scheme), to)
    })

  await t.test('replies with the configured status and no body', () => {
    const { reply } = run(requestRedirect({ status: 308, scheme: 'https' }), exchange())
    assert.deepEqual([reply?.status, reply?.body.lengthBytes, reply?.reason], [308, 0, 'DirectResponse'])
  })

  await t.test('starts from the original URL, not from a rewritten one', () => {
    const x = exchange({ path: '/shown' })
    x.request.path = '/internal'
    x.request.authority = 'internal.test'
    assert.equal(
      run(requestRedirect({ status: 302, scheme: 'https' }), x).reply?.headers.get('location'),
      'https://gateway.test/shown',
    )
  })

  await t.test('fails if a prefix is to be replaced and none was matched', () => {
    const exact: ExchangeOverrides = { path: '/old', match: { path: { exact: '/old' } } }
    assert.throws(() => run(requestRedirect({ status: 302, path: { prefix: '/new' } }), exchange(exact)), {
      code: 'prefix_match_required',
      message: 'failed to apply filters: prefix redirect requires prefix match',
    })
  })
})
