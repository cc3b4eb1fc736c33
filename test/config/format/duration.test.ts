import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { durationFormat, formatDuration, parseDuration } from '../../../src/config/format/duration.ts'

test('durations', async (t) => {
  const table: readonly (readonly [text: string, ms: number])[] = [
    ['0', 0],
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['1h1m1s1ms', 3_661_001],
    ['1500us', 1.5],
    ['3µs', 0.003],
    ['2000000ns', 2],
    ['0s', 0],
    ['24h', 86_400_000],
  ]
  for (const [text, ms] of table) {
    await t.test(`${text} is ${String(ms)} ms`, () => {
      assert.equal(parseDuration(text), ms)
    })
  }

  for (const text of [
    '',
    '10',
    's',
    '-1s',
    '+1s',
    '1 s',
    '1d',
    '1s ',
    '1S',
    '1h-1m',
    '1e3s',
    `${'9'.repeat(30)}h`,
  ]) {
    await t.test(`"${text}" is invalid`, () => {
      assert.equal(parseDuration(text), undefined)
      assert.equal(typeof durationFormat(text)?.expectation, 'string')
    })
  }

  await t.test('are formatted as Go does', () => {
    const written = [0, 1, 1.5, 999, 1000, 1500, 60_000, 90_000, 3_600_000, 5_400_500].map(formatDuration)
    assert.deepEqual(written, [
      '0s',
      '1ms',
      '1.5ms',
      '999ms',
      '1s',
      '1.5s',
      '1m0s',
      '1m30s',
      '1h0m0s',
      '1h30m0.5s',
    ])
  })

  await t.test('are parsed as they are formatted', () => {
    fc.assert(fc.property(fc.nat(10 ** 10), (ms) => parseDuration(formatDuration(ms)) === ms))
  })
})
