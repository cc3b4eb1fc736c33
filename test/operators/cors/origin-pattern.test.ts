import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originPattern } from '../../../src/operators/cors/origin-pattern.ts'

const cases: readonly (readonly [pattern: string, origin: string, allowed: boolean])[] = [
  ['*', 'https://any.test', true],
  ['*', 'null', true],
  ['*', 'https://a.test, https://b.test', false],
  ['*', '', false],
  ['https://a.test', 'https://a.test', true],
  ['https://a.test', 'HTTPS://A.TEST', true],
  ['https://a.test', 'http://a.test', false],
  ['https://a.test', 'https://a.test:8443', false],
  ['https://a.test', 'https://a.test.evil.test', false],
  ['https://*.a.test', 'https://b.a.test', true],
  ['https://*.a.test', 'https://c.b.a.test', true],
  ['https://*.A.test', 'https://b.a.test', true],
  ['https://*.a.test', 'https://a.test', false],
  ['https://*.a.test', 'https://.a.test', false],
  ['https://*.a.test', 'https://evila.test', false],
  ['https://*.a.test', 'http://b.a.test', false],
  ['https://*.a.test', 'https://b.a.test:8443', false],
  ['https://*.a.test:8443', 'https://b.a.test:8443', true],
  ['https://*.a.test', 'https://evil.test/.a.test', false],
  ['https://*.a.test', 'https://evil.test:80.a.test', false],
  ['https://*.a.test', 'https://evil.test#.a.test', false],
  ['null', 'null', true],
]

test('originPattern', async (t) => {
  for (const [pattern, origin, allowed] of cases)
    await t.test(`${pattern} ${allowed ? 'allows' : 'does not allow'} "${origin}"`, () => {
      assert.equal(originPattern([pattern])(origin), allowed)
    })

  await t.test('allows an origin that matches any of several patterns', () => {
    const isAllowed = originPattern(['https://a.test', 'https://*.b.test'])
    assert.deepEqual(['https://a.test', 'https://x.b.test', 'https://c.test'].map(isAllowed), [
      true,
      true,
      false,
    ])
  })
})
