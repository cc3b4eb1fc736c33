import assert from 'node:assert/strict'
import { test } from 'node:test'
import { of } from 'rxjs'
import { Duration } from '@marcbachmann/cel-js/evaluator'
import type { Evaluate } from '../../../src/model/exchange/expression.ts'
import { delay } from '../../../src/operators/delay/delay.ts'
import { exchange, operatorLaws, run, runAsync, TraceRecorder } from '../../../src/testing/index.ts'
import { fails, gives } from '../../support/evaluate.ts'

const by = (duration: number | Evaluate) => delay({ duration, bufferLimitBytes: 8 })
const waits = async (duration: number | Evaluate) => {
  const trace = new TraceRecorder()
  await runAsync(by(duration), exchange({ trace }))
  return trace.entries.map(
    (note) => note.type === 'policy' && note.result.type === 'apply' && note.result.details,
  )
}

test('delay', async (t) => {
  await t.test('obeys the laws of operators', async () => {
    await operatorLaws(by(3), { parks: true })
    await operatorLaws(by(gives(0)))
  })

  await t.test('continues the exchange after the delay', async () => {
    const began = performance.now()
    const x = await runAsync(by(20), exchange())
    assert.equal(x.reply, undefined)
    // Timers of Node may be over a little early.
    assert.ok(performance.now() - began >= 15)
  })

  await t.test('accepts numbers of milliseconds and durations', async () => {
    const duration = new Duration(0n, 2_000_000)
    assert.deepEqual(await waits(gives(2)), ['waits 2 ms'])
    assert.deepEqual(await waits(gives(2n)), ['waits 2 ms'])
    assert.deepEqual(await waits(gives(duration)), ['waits 2 ms'])
  })

  await t.test('does not wait for a delay of zero or less', () => {
    for (const ms of [0, -1, gives(0n), gives(-5)]) assert.ok(run(by(ms), exchange()))
  })

  await t.test('fails if the duration cannot be evaluated', () => {
    for (const duration of [
      fails(),
      gives('1s'),
      gives(new Date(5)),
      gives(null),
      gives([]),
      gives(Number.NaN),
    ])
      assert.throws(() => run(by(duration), exchange()), { code: 'filter_failed', status: 500 })
  })

  await t.test('ends when the client disconnects', async () => {
    const x = exchange()
    const subscription = by(2 ** 40)(of(x)).subscribe({ error: () => assert.fail('it failed') })
    subscription.unsubscribe()
    x.cancel()
    await new Promise(setImmediate)
    // A pending timer would keep this process alive, and the test with it.
    assert.ok(x.signal.aborted)
  })
})
