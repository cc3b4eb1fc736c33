import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NativeBuckets } from '../../../../src/sinks/metrics/series/native-buckets.ts'

const bucketsOf = (values: readonly number[]) => {
  const buckets = new NativeBuckets()
  for (const value of values) buckets.observe(value)
  return buckets.report
}

test('native buckets', async (t) => {
  await t.test('end at powers of the eighth root of two, bound included', () => {
    const { schema, buckets, zeroCount } = bucketsOf([1, 1.0001, 2, 0.5, 0.50001, 4])
    assert.equal(schema, 3)
    assert.equal(zeroCount, 0)
    assert.deepEqual(buckets, [
      ...[
        [-8, 1],
        [-7, 1],
        [0, 1],
        [1, 1],
        [8, 1],
        [16, 1],
      ],
    ])
  })

  await t.test('count zero, negative values and what is no number as zero', () => {
    assert.deepEqual(bucketsOf([0, -1, Number.NaN, 1e-300]), { schema: 3, zeroCount: 4, buckets: [] })
  })

  await t.test('stay few, whatever is observed, and lose no observation', () => {
    const values = Array.from({ length: 2_000 }, (_, i) => 2 ** (i / 2 - 500))
    const { buckets, zeroCount } = bucketsOf([...values, Infinity])
    assert.ok(buckets.length <= 160, String(buckets.length))
    assert.equal(
      buckets.reduce((sum, [, count]) => sum + count, zeroCount),
      2_001,
    )
  })
})
