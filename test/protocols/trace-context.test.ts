import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTraceParent } from '../../src/protocols/trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('traceparent', async (t) => {
  await t.test('has the trace and the span of the caller, and the sampled flag', () => {
    assert.deepEqual(parseTraceParent(`00-${traceId}-${spanId}-01`), {
      traceId,
      spanId,
      sampled: true,
      isRandom: false,
    })
    assert.equal(parseTraceParent(`00-${traceId}-${spanId}-00`)?.sampled, false)
    assert.equal(parseTraceParent(`00-${traceId}-${spanId}-fe`)?.sampled, false)
  })

  await t.test('of a later version may be longer', () => {
    assert.equal(parseTraceParent(`01-${traceId}-${spanId}-01-more`)?.traceId, traceId)
    assert.equal(parseTraceParent(`01-${traceId}-${spanId}-01`)?.traceId, traceId)
  })

  for (const value of [
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `01-${traceId}-${spanId}-01more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ])
    await t.test(`is invalid: ${JSON.stringify(value)}`, () => {
      assert.equal(parseTraceParent(value), undefined)
    })
})
