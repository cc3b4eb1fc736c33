import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Forwarded } from '../../../src/model/resources/frontend-policies.ts'
import { forwardHeaders } from '../../../src/operators/forwarded/forwarded.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'

const peer = { sourceAddress: '192.0.2.9' }
const told = (policy: Forwarded, headers: Record<string, string>, more: ExchangeOverrides = {}) => {
  const { request } = run(forwardHeaders(policy), exchange({ connection: peer, headers, ...more }))
  const names = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']
  return names.map((name) => request.headers.all(name).join(' | '))
}
const forged = {
  'x-forwarded-for': '203.0.113.1, 198.51.100.2',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'shop.test',
  forwarded: 'for=203.0.113.1, for=198.51.100.2',
}
const own = 'for=192.0.2.9;host="gateway.test";proto=http'

test('forwardHeaders', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(forwardHeaders({ mode: 'append', trustedHops: 0 })),
  )

  await t.test("sends the client's address to the upstream", () => {
    for (const mode of ['append', 'overwrite'] as const)
      assert.deepEqual(told({ mode, trustedHops: 0 }, {}), ['192.0.2.9', 'http', 'gateway.test', own])
  })

  await t.test('appends the peer, and ignores the headers of an untrusted client', () => {
    assert.deepEqual(told({ mode: 'append', trustedHops: 0 }, forged), [
      '203.0.113.1, 198.51.100.2, 192.0.2.9',
      'http',
      'gateway.test',
      `for=203.0.113.1, for=198.51.100.2, ${own}`,
    ])
  })

  await t.test('overwrites the headers of an untrusted client', () => {
    assert.deepEqual(told({ mode: 'overwrite', trustedHops: 0 }, forged), [
      '192.0.2.9',
      'http',
      'gateway.test',
      own,
    ])
  })

  await t.test('keeps the headers of trusted proxies, and nothing before them', () => {
    const trusted = 'for=192.0.2.9;host="shop.test";proto=https'
    assert.deepEqual(told({ mode: 'overwrite', trustedHops: 1 }, forged), [
      '198.51.100.2, 192.0.2.9',
      'https',
      'shop.test',
      `for=198.51.100.2, ${trusted}`,
    ])
  })

  await t.test('uses the scheme of a trusted proxy in later stages', () => {
    const schemeAfter = (trustedHops: number, proto: string) => {
      const headers = { 'x-forwarded-proto': proto }
      return run(forwardHeaders({ mode: 'append', trustedHops }), exchange({ headers })).request.scheme
    }
    assert.deepEqual(
      [
        schemeAfter(1, 'https'),
        schemeAfter(0, 'https'),
        schemeAfter(1, 'gopher'),
        schemeAfter(1, 'https, http'),
      ],
      ['https', 'http', 'http', 'http'],
    )
  })

  await t.test('uses the value of the outermost trusted proxy in a list', () => {
    const headers = { 'x-forwarded-proto': 'http, https, http' }
    const { request } = run(forwardHeaders({ mode: 'append', trustedHops: 2 }), exchange({ headers }))
    assert.equal(request.scheme, 'https')
  })

  await t.test('ignores an invalid host of a trusted proxy', () => {
    const [, , host] = told({ mode: 'append', trustedHops: 1 }, { 'x-forwarded-host': 'a"b' })
    assert.equal(host, 'gateway.test')
  })

  await t.test('quotes IPv6 addresses in Forwarded only', () => {
    const [addresses, , , forwarded] = told(
      { mode: 'append', trustedHops: 0 },
      {},
      { connection: { sourceAddress: '2001:db8::1' } },
    )
    assert.equal(addresses, '2001:db8::1')
    assert.match(forwarded ?? '', /^for="\[2001:db8::1\]";/)
  })

  await t.test('drops a Forwarded with an open quotation, which would swallow the next element', () => {
    assert.equal(told({ mode: 'append', trustedHops: 0 }, { forwarded: 'for="evil' })[3], own)
  })

  await t.test('uses unknown without an address, as on unix sockets', () => {
    assert.equal(
      told({ mode: 'append', trustedHops: 0 }, {}, { connection: { sourceAddress: '' } })[0],
      'unknown',
    )
  })
})
