import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Observable, of } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { emptyBody } from '../../src/model/exchange/body.ts'
import { Reply } from '../../src/model/exchange/reply.ts'
import { deadline, type Deadline } from '../../src/pipeline/deadline.ts'
import type { Operator } from '../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run } from '../../src/testing/index.ts'

const late = new Error('late')
const within = (leftMs: number, until: Deadline['until'] = 'end'): Deadline => ({
  name: 'a test',
  leftMs: () => leftMs,
  until,
  fault: () => late,
})

/** Emits its exchange with `reply`, if any, and never completes. */
const unending = (reply?: Reply) => {
  const state = { released: false, subscribed: 0 }
  const operator: Operator = (source) =>
    new Observable<Exchange>((out) => {
      state.subscribed++
      if (reply)
        source.subscribe((x) => {
          x.reply = reply
          out.next(x)
        })
      return () => {
        state.released = true
      }
    })
  return { operator, state }
}

const listen = (operator: Operator) => {
  const heard: unknown[] = []
  const ended = Promise.withResolvers<undefined>()
  const subscription = operator(of(exchange())).subscribe({
    next: () => heard.push('next'),
    error: (fault: unknown) => {
      heard.push(fault)
      ended.resolve(undefined)
    },
    complete: () => {
      heard.push('complete')
      ended.resolve(undefined)
    },
  })
  return { heard, ended: ended.promise, subscription }
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('deadline', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(deadline(fakeUpstream(200), within(1_000))))

  await t.test('does not affect an exchange that ends in time', () => {
    assert.equal(run(deadline(fakeUpstream(200), within(1_000)), exchange()).reply?.status, 200)
  })

  await t.test('fails a slow exchange, and releases it', async () => {
    const { operator, state } = unending()
    const { heard, ended } = listen(deadline(operator, within(5)))
    await ended
    assert.deepEqual([heard, state.released], [[late], true])
  })

  await t.test('fails a reply whose last byte does not arrive', async () => {
    const { operator, state } = unending(new Reply(200, new Headers(), emptyBody, 'Upstream'))
    const { heard, ended } = listen(deadline(operator, within(5)))
    await ended
    assert.deepEqual([heard, state.released], [['next', late], true])
  })

  await t.test('does not limit the body if it is limited to the head', async () => {
    const { operator } = unending(new Reply(200, new Headers(), emptyBody, 'Upstream'))
    const { heard, subscription } = listen(deadline(operator, within(5, 'reply')))
    await after(15)
    subscription.unsubscribe()
    assert.deepEqual(heard, ['next'])
  })

  await t.test('lets a tunnel stay open', async () => {
    const reply = new Reply(101, new Headers(), emptyBody, 'Upstream')
    reply.tunnel = new PassThrough()
    const { heard, subscription } = listen(deadline(unending(reply).operator, within(5)))
    await after(15)
    subscription.unsubscribe()
    assert.deepEqual(heard, ['next'])
  })

  await t.test('starts nothing without time left', () => {
    const { operator, state } = unending()
    assert.deepEqual([listen(deadline(operator, within(0))).heard, state.subscribed], [[late], 0])
  })

  await t.test('reports nothing after the client has disconnected', async () => {
    const { operator, state } = unending()
    const { heard, subscription } = listen(deadline(operator, within(5)))
    subscription.unsubscribe()
    await after(15)
    assert.deepEqual([heard, state.released], [[], true])
  })
})
