import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gcDurations } from '../../../../src/sinks/metrics/process/gc-durations.ts'

test('gateways of one process share the pauses of garbage collection, each in its format', () => {
  const classic = gcDurations('classic')
  assert.equal(gcDurations('classic'), classic)
  const native = gcDurations('native')
  assert.notEqual(native, classic)
  native.series('minor').observe(0.001)
  const [part] = native.parts()
  const series = part?.series[0]
  assert.ok(series && 'native' in series && series.native)
})
