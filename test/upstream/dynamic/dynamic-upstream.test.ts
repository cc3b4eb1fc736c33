import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import type { BackendPolicies } from '../../../src/model/resources/policies.ts'
import type { DynamicAllow } from '../../../src/model/resources/dynamic-backend.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { DynamicPools } from '../../../src/upstream/dynamic/dynamic-pools.ts'
import type { Lookup } from '../../../src/upstream/connect/dns-cache.ts'
import { defaultUpstreamSettings, Registry } from '../../../src/upstream/registry.ts'
import { callUpstream } from '../../support/call-upstream.ts'
import { backendsAt, snapshotOf } from '../../support/resources.ts'
import { until } from '../../support/stream-body.ts'
import { httpServer } from '../../support/upstream-servers.ts'
import { resourceIndex } from '../../../src/model/resources/resource-index.ts'

const noExpression = (): never => assert.fail('no expression was expected')

const toLoopback: Lookup = (_, told) => told(null, ['127.0.0.1'])

const LOCAL = ['127.0.0.0/8']

const withDynamic = async (
  parts: { allow?: Partial<DynamicAllow>; target?: Evaluate; lookup?: Lookup; policies?: BackendPolicies },
  act: (call: (authority: string, scheme?: 'http' | 'https') => Promise<string>) => Promise<void>,
): Promise<void> => {
  const { target, lookup = toLoopback, policies = {} } = parts
  const registry = new Registry({ lookup })
  const resources = {
    ...backendsAt({}),
    backends: [
      {
        key: 'out',
        name: 'out',
        namespace: '',
        policies: {},
        spec: {
          type: 'dynamic' as const,
          allow: { hosts: [], ports: [], privateRanges: [], ...parts.allow },
          ...(target ? { target: 'a target' } : {}),
        },
      },
    ],
  }
  const session = registry.session(resourceIndex(resources), () => target ?? noExpression())
  const upstream = session.upstream({ kind: 'backend', key: 'out' }, policies)!
  session.commit(snapshotOf(resources))
  try {
    await act(async (authority, scheme = 'http') => {
      const { response: answer, text } = await callUpstream(
        upstream,
        exchange({ authority, scheme, headers: { host: authority } }),
      )
      return answer.fault ? `${answer.fault.status} ${answer.fault.code} ${answer.fault.message}` : text
    })
  } finally {
    await registry.close()
  }
}

const REFUSED = '403 dynamic_backend_refused the requested destination is not allowed'

test('a dynamic backend', async (t) => {
  await using server = await httpServer((req, res) => res.end(`to ${req.headers.host ?? ''}`))
  const at = (host: string) => `${host}:${server.port}`

  await t.test('calls the host of the request, if it is allowed', () =>
    withDynamic({ allow: { hosts: ['*.up.test'], privateRanges: LOCAL } }, async (call) => {
      assert.equal(await call(at('a.up.test')), `to ${at('a.up.test')}`)
      assert.equal(await call(at('up.test')), REFUSED)
      assert.equal(await call(at('a.else.test')), REFUSED)
    }),
  )

  await t.test('calls nothing without a list', () =>
    withDynamic({ allow: { privateRanges: LOCAL } }, async (call) => {
      assert.equal(await call(at('up.test')), REFUSED)
      assert.equal(await call(at('127.0.0.1')), REFUSED)
    }),
  )

  await t.test('calls no private address unless its range is allowed', () =>
    withDynamic({ allow: { hosts: ['*'] } }, async (call) => {
      for (const host of [
        'up.test',
        '127.0.0.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '10.0.0.1',
        '169.254.169.254',
        '[64:ff9b::7f00:1]',
      ])
        assert.equal(await call(at(host)), REFUSED, host)
      for (const host of [
        '2130706433',
        '0x7f000001',
        '0177.0.0.1',
        '127.1',
        'localhost',
        'user@127.0.0.1',
        'a b',
        '',
      ])
        assert.equal(await call(host), REFUSED, host)
    }),
  )

  await t.test('calls no name if one of its addresses is private', () =>
    withDynamic(
      { allow: { hosts: ['*'] }, lookup: (_, told) => told(null, ['93.184.216.34', '10.0.0.1']) },
      async (call) => assert.equal(await call(at('up.test')), REFUSED),
    ),
  )

  await t.test('connects to the address that was checked, and resolves the name once', async () => {
    let lookups = 0
    const lookup: Lookup = (_, told) => told(null, lookups++ ? ['10.0.0.1'] : ['127.0.0.1'])
    await withDynamic({ allow: { hosts: ['up.test'], privateRanges: LOCAL }, lookup }, async (call) => {
      assert.equal(await call(at('up.test')), `to ${at('up.test')}`)
      assert.equal(lookups, 1)
    })
  })

  await t.test('calls allowed ports only, with the default ports of schemes', () =>
    withDynamic(
      { allow: { hosts: ['up.test'], ports: [server.port, 80], privateRanges: LOCAL } },
      async (call) => {
        assert.equal(await call(at('up.test')), `to ${at('up.test')}`)
        assert.equal(await call('up.test:22'), REFUSED)
        assert.equal(await call('up.test', 'https'), REFUSED)
        assert.doesNotMatch(await call('up.test'), /^403/)
      },
    ),
  )

  await t.test('calls the host of an expression, by that name', async () => {
    const target: Evaluate = (x) => {
      const host = x.request.headers.get('host')
      return host === 'bad.test' ? { error: 'no such key' } : { value: at('up.test') }
    }
    await withDynamic({ allow: { hosts: ['up.test'], privateRanges: LOCAL }, target }, async (call) => {
      assert.equal(await call('gateway.test'), `to ${at('up.test')}`)
      assert.equal(await call('bad.test'), REFUSED)
    })
  })

  await t.test('with an unknown name replies 503', () =>
    withDynamic({ allow: { hosts: ['*'] }, lookup: (_, told) => told(new Error('no'), []) }, async (call) => {
      assert.equal(await call('up.test'), '503 upstream_dns backends required DNS resolution which failed')
    }),
  )
})

test('the pools of dynamic backends', async (t) => {
  await t.test('are bounded: the least recently used is evicted', async () => {
    await using server = await httpServer((_, res) => res.end('x'))
    let evictions = 0
    const pools = new DynamicPools(
      () => ({ ...defaultUpstreamSettings, poolMaxSize: undefined, tls: undefined, protocol: 'auto' }),
      () => undefined,
      () => evictions++,
      2,
    )
    const place = { ip: '127.0.0.1', port: server.port }
    const a = pools.endpoint(place, 'a.test')
    const b = pools.endpoint(place, 'b.test')
    assert.equal(pools.endpoint(place, 'a.test'), a)
    pools.endpoint(place, 'c.test')
    assert.equal(pools.size, 2)
    assert.equal(pools.endpoint(place, 'a.test'), a)
    assert.notEqual(pools.endpoint(place, 'b.test'), b)
    await pools.close()
    await until(() => server.sockets.size === 0)
    assert.deepEqual([pools.size, evictions], [0, 2])
  })
})
