import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observable, Subject } from 'rxjs'
import { callKey, idInKey } from '../../../../../src/operators/backend/mcp/answer/call-key.ts'
import type { FromServer } from '../../../../../src/operators/backend/mcp/servers/peer.ts'
import {
  answerResumably,
  resumeAnswer,
} from '../../../../../src/operators/backend/mcp/answer/answer-resumably.ts'
import {
  type ResumableCalls,
  type ResumableTimes,
} from '../../../../../src/operators/backend/mcp/answer/resumable-call.ts'
import type { Exchange } from '../../../../../src/model/exchange.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'

const line = (data: string): FromServer => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data },
})
const patient: ResumableTimes = { patienceMs: 60_000, silentMs: 60_000 }

/** A call that says what a test says, and its first answer. */
const began = (calls: ResumableCalls, times: ResumableTimes, key = 'k') => {
  const messages = new Subject<FromServer>()
  let isGivenUp = false
  const observed = new Observable<FromServer>((out) => {
    out.add(messages.subscribe(out))
    out.add(() => (isGivenUp = true))
  })
  const first = heard((x) => answerResumably(x, 5, calls, key, () => observed, times))
  return { messages, first, isGivenUp: () => isGivenUp }
}

/** Reads an answer as a client does. */
const heard = (answer: (x: Exchange) => Observable<Exchange> | undefined) => {
  const x = exchange()
  let text = ''
  let isPiped = false
  const run = answer(x)?.subscribe(({ reply }) => {
    if (isPiped) return
    isPiped = true
    reply?.body.pipe({
      write: (chunk) => {
        text += Buffer.from(chunk).toString()
        return true
      },
      end: () => undefined,
      fail: () => undefined,
      onDrain: () => undefined,
    })
  })
  return { x, run, text: () => text, leave: () => run?.unsubscribe() }
}

test('an answer that can be taken up again', async (t) => {
  await t.test('is given up when its client does not come back in time', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, patient)
    messages.next(line('one'))
    assert.match(first.text(), /^id: k\/0\nretry: 1000\ndata: \n\n/)
    first.leave()
    mock.timers.tick(59_999)
    assert.equal(isGivenUp(), false)
    mock.timers.tick(1)
    assert.equal(isGivenUp(), true)
    assert.equal(calls.size, 0)
    assert.equal(resumeAnswer(exchange(), 'k/1', calls), undefined)
  })

  await t.test('is not given up while its client is back, from wherever it came', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, patient)
    messages.next(line('one'))
    // The connection before was never seen to break.
    const second = heard((x) => resumeAnswer(x, 'k/0', calls))
    first.leave()
    mock.timers.tick(600_000)
    assert.equal(isGivenUp(), false)
    messages.next(line('two'))
    assert.match(second.text(), /"one".*"two"/s)
    assert.equal(first.text().includes('two'), false)
    second.leave()
    assert.equal(isGivenUp(), false)
    mock.timers.tick(60_000)
    assert.equal(isGivenUp(), true)
  })

  await t.test('is given up at once if there is nothing to come back with', () => {
    const calls: ResumableCalls = new Map()
    const { first, isGivenUp } = began(calls, patient)
    first.leave()
    assert.equal(isGivenUp(), true)
    assert.equal(calls.size, 0)
  })

  await t.test('says how to come back when its server has long been silent', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const calls: ResumableCalls = new Map()
    const { first, messages } = began(calls, patient)
    mock.timers.tick(59_999)
    assert.equal(first.text(), '')
    mock.timers.tick(1)
    assert.equal(first.text(), 'id: k/0\nretry: 1000\ndata: \n\n')
    messages.next({ result: {} })
    assert.match(first.text(), /id: k\/1\ndata: \{"jsonrpc":"2.0","id":5,"result":\{\}\}/)
    for (const call of calls.values()) call.cancel()
  })

  await t.test('of too many words is kept no more, and said so no more', () => {
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, patient)
    for (let i = 0; i < 12; i++) messages.next(line('x'.repeat(100_000)))
    assert.equal(calls.size, 0)
    assert.equal(first.text().match(/retry:/g)?.length, 1)
    assert.equal(first.text().match(/"method"/g)?.length, 12)
    first.leave()
    assert.equal(isGivenUp(), true)
  })

  await t.test('is one of a bounded number', () => {
    const calls: ResumableCalls = new Map()
    const all = Array.from({ length: 70 }, (_, i) => began(calls, patient, `k${i}`))
    for (const { messages } of all) messages.next(line('one'))
    assert.equal(calls.size, 64)
    assert.equal(all[69]?.first.text().includes('id:'), false)
    for (const call of calls.values()) call.cancel()
    for (const { first } of all) first.leave()
    assert.ok(all.every(({ isGivenUp }) => isGivenUp()))
  })
})

test('keys of calls say whose answer they are of, as long as they are short', () => {
  for (const id of [1, -1, 0.5, 'x', '', 'a/b.c']) assert.equal(idInKey(callKey('n', id)), id)
  assert.equal(callKey('n', 'x'.repeat(200)), 'n')
  for (const key of ['', 'n', 'n.', 'n.!', 'n.bnVsbA', 'n.e30', 'n.MQ.MQ', `n.${'A'.repeat(1_000)}`])
    assert.equal(idInKey(key), undefined, key)
})
