import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGatewayDuration } from '../../../../src/controller/translate/rule/gateway-duration.ts'

test('durations are sums of whole numbers with units', () => {
  assert.equal(parseGatewayDuration('10s'), 10_000)
  assert.equal(parseGatewayDuration('1m30s'), 90_000)
  assert.equal(parseGatewayDuration('500ms'), 500)
  assert.equal(parseGatewayDuration('1h2m3s4ms'), 3_723_004)
  assert.equal(parseGatewayDuration('10s30m1h'), 5_410_000)
  assert.equal(parseGatewayDuration('99999h'), 359_996_400_000)
  assert.equal(parseGatewayDuration('0s'), 0)
})

test('other texts are no durations', () => {
  for (const text of [
    '',
    '1',
    '0',
    '1.5s',
    '-1s',
    '+1s',
    '1us',
    '1d',
    '100000s',
    '1h1m1s1ms1s',
    ' 1s',
    '1s ',
    's',
  ])
    assert.equal(parseGatewayDuration(text), undefined, text)
})
