import assert from 'node:assert/strict'
import { test } from 'node:test'
import { config } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { ExchangeEnds } from '../../src/sinks/completed-exchanges.ts'
import { exchange } from '../../src/testing/exchange.ts'
import { until } from '../support/stream-body.ts'

test('completed exchanges', async (t) => {
  await t.test('are emitted to every listener, synchronously', () => {
    const { ended, ends$ } = new ExchangeEnds()
    const heard: [string, Exchange][] = []
    ends$.subscribe((x) => heard.push(['log', x]))
    ends$.subscribe((x) => heard.push(['metrics', x]))
    const x = exchange()
    ended(x)
    assert.deepEqual(heard, [
      ['log', x],
      ['metrics', x],
    ])
  })

  await t.test('are emitted to other listeners if one throws', async () => {
    const { ended, ends$ } = new ExchangeEnds()
    const before = config.onUnhandledError
    const errors: unknown[] = []
    config.onUnhandledError = (error) => errors.push(error)
    const bug = new Error('thrown on purpose')
    ends$.subscribe(() => {
      throw bug
    })
    let heard = 0
    ends$.subscribe(() => heard++)
    ended(exchange())
    ended(exchange())
    await until(() => errors.length === 2, 'the second error')
    config.onUnhandledError = before
    assert.deepEqual([heard, errors], [2, [bug, bug]])
  })

  await t.test('can be emitted only by their owner', () => {
    assert.equal('next' in new ExchangeEnds().ends$, false)
  })
})
