import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import type { BodySink } from '../../../src/model/exchange/body.ts'
import { keptAlive } from '../../../src/operators/body/sse-keep-alive.ts'

const sink = (goesOn = true): BodySink & { readonly written: string[] } => {
  const written: string[] = []
  return {
    written,
    write(chunk) {
      written.push(Buffer.from(chunk).toString())
      return goesOn
    },
    end: () => undefined,
    fail: () => undefined,
    onDrain: () => undefined,
  }
}

describe('an idle SSE stream', () => {
  it('gets a comment every 15 seconds, and none after its end', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const to = sink()
    const alive = keptAlive(to)
    mock.timers.tick(14_000)
    assert.deepEqual(to.written, [])
    mock.timers.tick(1_000)
    assert.deepEqual(to.written, [': keep-alive\n\n'])
    mock.timers.tick(15_000)
    assert.equal(to.written.length, 2)
    alive.stop()
    mock.timers.tick(60_000)
    assert.equal(to.written.length, 2)
    mock.timers.reset()
  })

  it('gets none while it has events', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const to = sink()
    const alive = keptAlive(to)
    for (let i = 0; i < 10; i++) {
      mock.timers.tick(10_000)
      alive.moved()
    }
    assert.deepEqual(to.written, [])
    alive.stop()
    mock.timers.reset()
  })

  it('gets no second one while its client does not read', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const to = sink(false)
    const alive = keptAlive(to)
    mock.timers.tick(120_000)
    assert.equal(to.written.length, 1)
    alive.stop()
    mock.timers.reset()
  })
})
