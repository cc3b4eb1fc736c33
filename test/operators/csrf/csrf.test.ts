import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csrf } from '../../../src/operators/csrf/csrf.ts'
import { exchange, type ExchangeOverrides, operatorLaws, run } from '../../../src/testing/index.ts'

type Fields = Record<string, string>
const cases: readonly (readonly [
  what: string,
  headers: Fields,
  passes: boolean,
  more?: ExchangeOverrides,
])[] = [
  ['no browser fields at all', {}, true],
  ['the own origin', { origin: 'http://gateway.test' }, true],
  ['the own origin in capitals', { origin: 'HTTP://Gateway.test' }, true],
  [
    'the own origin, Host with its default port',
    { origin: 'http://a.test' },
    true,
    { authority: 'a.test:80' },
  ],
  ['the own https origin', { origin: 'https://a.test' }, true, { authority: 'a.test:443', scheme: 'https' }],
  ['the own origin with another port', { origin: 'http://gateway.test:81' }, false],
  ['the own origin with another scheme', { origin: 'https://gateway.test' }, false],
  ['a listed origin', { origin: 'https://partner.test' }, true],
  ['a listed origin, cross-site', { origin: 'https://partner.test', 'sec-fetch-site': 'cross-site' }, true],
  ['another origin', { origin: 'https://evil.test' }, false],
  ['another origin with same-origin', { origin: 'x:', 'sec-fetch-site': 'same-origin' }, true],
  ['same-origin without Origin', { 'sec-fetch-site': 'same-origin' }, true],
  ['none', { 'sec-fetch-site': 'none' }, true],
  ['cross-site without Origin', { 'sec-fetch-site': 'cross-site' }, false],
  ['same-site without Origin', { 'sec-fetch-site': 'same-site' }, false],
  ['an unknown site without Origin', { 'sec-fetch-site': 'near-site' }, false],
  ['two sites', { 'sec-fetch-site': 'same-origin, cross-site' }, false],
  ['Origin null', { origin: 'null' }, false],
  ['Origin null, cross-site', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
  ['Origin null, same-origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
  ['an empty Origin', { origin: '' }, false],
]
const policy = csrf({ additionalOrigins: ['https://Partner.test', 'null'] })

test('csrf', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(policy, { exchange: { method: 'POST' } })
    await operatorLaws(policy, { exchange: { method: 'POST', headers: { origin: 'null' } } })
  })

  for (const [what, headers, passes, more] of cases)
    await t.test(`${passes ? 'accepts a POST with' : 'refuses a POST with'} ${what}`, () => {
      const { reply } = run(policy, exchange({ method: 'POST', headers, ...more }))
      assert.equal(reply?.status, passes ? undefined : 403)
    })

  await t.test('accepts safe methods', () => {
    const headers = { origin: 'https://evil.test' }
    const statuses = ['GET', 'HEAD', 'OPTIONS', 'DELETE'].map(
      (method) => run(policy, exchange({ method, headers })).reply?.status,
    )
    assert.deepEqual(statuses, [undefined, undefined, undefined, 403])
  })

  await t.test('compares with the original host, not with a rewritten one', () => {
    const x = exchange({ method: 'POST', headers: { origin: 'http://gateway.test' } })
    x.request.authority = 'internal.test'
    assert.equal(run(policy, x).reply, undefined)
  })

  await t.test('reports the reason of a refusal', async () => {
    const { reply } = run(policy, exchange({ method: 'POST', headers: { origin: 'null' } }))
    assert.deepEqual(
      [reply?.code, String(await reply?.body.read(100))],
      ['csrf_failed', 'CSRF validation failed'],
    )
  })
})
