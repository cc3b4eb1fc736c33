import assert from 'node:assert/strict'
import { test } from 'node:test'
import { from, type Observable, Subject, tap } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { Fault } from '../../src/model/exchange/fault.ts'
import { perExchange } from '../../src/pipeline/per-exchange.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { rescue } from '../../src/pipeline/rescue.ts'
import { onRequest, type Operator } from '../../src/pipeline/stage.ts'
import { fakeUpstream, exchange, operatorLaws, run } from '../../src/testing/index.ts'

const look: Operator = onRequest('look', () => undefined)

const heardOf = (stream: Observable<Exchange>): unknown[] => {
  const heard: unknown[] = []
  stream.subscribe({
    next: ({ reply }) => heard.push(reply?.status),
    error: (fault: unknown) => heard.push(fault),
    complete: () => heard.push('complete'),
  })
  return heard
}

test('perExchange', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(perExchange(() => look)))
  await t.test('obeys the laws of operators with a nested perExchange', () =>
    operatorLaws(perExchange(() => perExchange(() => look))),
  )

  await t.test('passes an exchange on without a choice, here or nested', () => {
    for (const operator of [perExchange(() => undefined), perExchange(() => perExchange(() => undefined))])
      assert.equal(run(operator, exchange()).reply, undefined)
  })

  await t.test('continues an exchange in the final choice, with one call per chooser', () => {
    const asked: string[] = []
    const chooser = (name: string, choice: Operator): Operator =>
      perExchange(() => {
        asked.push(name)
        return choice
      })
    const { reply } = run(
      chooser('listener', chooser('route', chooser('backend', fakeUpstream(204)))),
      exchange(),
    )
    assert.deepEqual([reply?.status, asked], [204, ['listener', 'route', 'backend']])
  })

  await t.test('ends with an error if any chooser throws', () => {
    const bug = new Error('a bug')
    const broken: Operator = perExchange(() => {
      throw bug
    })
    assert.deepEqual(heardOf(broken(from([exchange()]))), [bug])
    assert.deepEqual(heardOf(perExchange(() => broken)(from([exchange()]))), [bug])
  })

  await t.test('leaves errors to a surrounding rescue', () => {
    const down = new Fault('upstream_failed', 'no', { status: 503 })
    const broken: Operator = perExchange(() => {
      throw down
    })
    const toReply = faultReply((bug) => {
      throw bug
    })
    const heard = heardOf(rescue(broken, toReply)(from([exchange(), exchange()])))
    assert.deepEqual(heard, [503, 503, 'complete'])
  })

  await t.test('does not wait between exchanges, and ends with the last', () => {
    const waiting: Subject<Exchange>[] = []
    const slow: Operator = () => {
      const one = new Subject<Exchange>()
      waiting.push(one)
      return one
    }
    const [first, second] = [exchange(), exchange()]
    const heard: unknown[] = []
    perExchange(() => slow)(from([first, second]))
      .pipe(tap({ complete: () => heard.push('complete') }))
      .subscribe((x) => heard.push(x))
    waiting[1]?.next(second)
    waiting[1]?.complete()
    waiting[0]?.next(first)
    assert.deepEqual(heard, [second, first])
    waiting[0]?.complete()
    assert.deepEqual(heard, [second, first, 'complete'])
  })
})
