import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshForMs } from '../../../src/upstream/jwks/cache-lifetime.ts'

const cases: readonly (readonly [control: string | undefined, age: string | undefined, ms: number])[] = [
  [undefined, undefined, 300_000],
  ['public', undefined, 300_000],
  ['max-age=600', undefined, 600_000],
  ['public, max-age=600, must-revalidate', '100', 500_000],
  ['MAX-AGE="600"', undefined, 600_000],
  ['max-age=600', 'soon', 600_000],
  ['max-age=5', undefined, 10_000],
  ['max-age=60', '100', 10_000],
  ['max-age=31536000', undefined, 86_400_000],
  ['no-store', undefined, 10_000],
  ['no-cache, max-age=600', undefined, 10_000],
  ['max-age=-1', undefined, 300_000],
  ['s-maxage=600', undefined, 300_000],
]

for (const [control, age, ms] of cases)
  test(`${control ?? 'no Cache-Control'} at the age of ${age ?? '0'} is fresh for ${ms} ms`, () => {
    assert.equal(freshForMs(control, age), ms)
  })
