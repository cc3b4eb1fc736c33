import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runInLongSlices } from '../../../src/model/event-loop/time-slicing.ts'

/** Takes a millisecond for each step. */
function* steps(count: number): Generator<undefined, string> {
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    while (performance.now() - began < 1);
    yield
  }
  return 'done'
}

suite('long work in slices', () => {
  test('begins and ends in the turn in which it is called, if it is short', async () => {
    let isTurned = false
    setImmediate(() => (isTurned = true))
    assert.equal(await runInLongSlices(steps(0)), 'done')
    assert.equal(isTurned, false)
  })

  test('gives the event loop back every few milliseconds', async () => {
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await runInLongSlices(steps(50))
    isDone = true
    assert.ok(turns >= 5, `${turns} turns`)
  })

  test('ends with the reason of the signal, and may clean up', async () => {
    let isCleanedUp = false
    const end = new AbortController()
    const cleaning = (function* () {
      try {
        yield* steps(1_000)
      } finally {
        isCleanedUp = true
      }
    })()
    setImmediate(() => end.abort(new Error('superseded')))
    await assert.rejects(runInLongSlices(cleaning, end.signal), /superseded/)
    assert.ok(isCleanedUp)
  })
})
