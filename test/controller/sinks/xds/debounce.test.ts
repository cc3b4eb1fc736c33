import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Debounce, type DebounceTimes } from '../../../../src/controller/sinks/xds/debounce.ts'
import { ResourceSets } from '../../../../src/controller/sinks/xds/resource-sets.ts'
import { replyRoute } from '../../../support/xds/xds-server.ts'

/** The number of events before the call, if they follow each other without a pause. */
const eventsBeforeCall = async (times: DebounceTimes): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let isOver = false
  const debounce = new Debounce(times, () => {
    isOver = true
    resolve(undefined)
  })
  let events = 0
  const next = (): void => {
    if (isOver) return
    events++
    debounce.trigger()
    setImmediate(next)
  }
  next()
  await promise
  return events
}

test('events that never pause are over after the longest time', async () => {
  const began = performance.now()
  assert.ok((await eventsBeforeCall({ quietMs: 10_000, maxMs: 200 })) > 1)
  const tookMs = performance.now() - began
  // Timers of Node may be over a little early.
  assert.ok(tookMs >= 190 && tookMs < 5_000, `${tookMs} ms`)
})

test('resources are published ten milliseconds after the last of them', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const sets = new ResourceSets()
  sets.synced()
  sets.set('default/web', [replyRoute('a', 'a')])
  t.mock.timers.tick(9)
  sets.set('default/web', [replyRoute('a', 'b')])
  t.mock.timers.tick(9)
  assert.equal(sets.of('default/web').size, 0)
  t.mock.timers.tick(1)
  assert.equal(sets.of('default/web').size, 1)
})
