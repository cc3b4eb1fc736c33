import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Observable, Subject } from 'rxjs'
import { callKey, idInKey } from '../../../../src/operators/mcp/response/event-id.ts'
import type { FromServer } from '../../../../src/operators/mcp/servers/server-client.ts'
import { respondResumable, resumeResponse } from '../../../../src/operators/mcp/response/respond-resumable.ts'
import type { ResumableCall, ResumableCalls } from '../../../../src/operators/mcp/response/resumable-call.ts'
import { type ResumableTiming, timingFor } from '../../../../src/operators/mcp/response/resumable-timing.ts'
import type { Exchange } from '../../../../src/model/exchange/exchange.ts'
import { exchange } from '../../../../src/testing/exchange.ts'

const line = (data: string): FromServer => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { data },
})
const patient: ResumableTiming = { resumeWithinMs: 60_000, silentMs: 60_000, retryMs: 1_000 }

/** A call with events from the test, and its first reply. */
const began = (calls: ResumableCalls, timing: ResumableTiming, key = 'k') => {
  const messages = new Subject<FromServer>()
  let isGivenUp = false
  const observed = new Observable<FromServer>((out) => {
    out.add(messages.subscribe(out))
    out.add(() => (isGivenUp = true))
  })
  let pause: ResumableCall['pause'] = () => undefined
  const first = heard((x) =>
    respondResumable(
      x,
      5,
      calls,
      key,
      (pausing) => {
        pause = pausing
        return observed
      },
      timing,
    ),
  )
  return { messages, first, isGivenUp: () => isGivenUp, pause }
}

/** Reads a reply as a client does. */
const heard = (response: (x: Exchange) => Observable<Exchange> | undefined) => {
  const x = exchange()
  let text = ''
  let isPiped = false
  let hasEnded = false
  const run = response(x)?.subscribe(({ reply }) => {
    if (isPiped) return
    isPiped = true
    reply?.body.pipe({
      write: (chunk) => {
        text += Buffer.from(chunk).toString()
        return true
      },
      end: () => (hasEnded = true),
      fail: () => undefined,
      onDrain: () => undefined,
    })
  })
  return { x, run, text: () => text, hasEnded: () => hasEnded, leave: () => run?.unsubscribe() }
}

const idsIn = (text: string): string[] => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')

test('a resumable reply', async (t) => {
  await t.test('is cancelled when its client does not reconnect in time', ({ mock }) => {
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
    assert.equal(resumeResponse(exchange(), 'k/1', calls), undefined)
  })

  await t.test('is not cancelled while its client is reconnected', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, patient)
    messages.next(line('one'))
    // The previous connection was not seen to break.
    const second = heard((x) => resumeResponse(x, 'k/0', calls))
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

  await t.test('is cancelled at once if no event id was sent', () => {
    const calls: ResumableCalls = new Map()
    const { first, isGivenUp } = began(calls, patient)
    first.leave()
    assert.equal(isGivenUp(), true)
    assert.equal(calls.size, 0)
  })

  await t.test('sends an event id once its server has been silent for a minute', ({ mock }) => {
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

  await t.test('that exceeds the limit is not stored, and sends no more event ids', () => {
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, patient)
    for (let i = 0; i < 12; i++) messages.next(line('x'.repeat(100_000)))
    assert.equal(calls.size, 0)
    assert.equal(first.text().match(/retry:/g)?.length, 1)
    assert.equal(first.text().match(/"method"/g)?.length, 12)
    first.leave()
    assert.equal(isGivenUp(), true)
  })

  await t.test('closes its connection repeatedly, and delivers every event once', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    const { messages, first, isGivenUp } = began(calls, { ...patient, closeAfterMs: 9_000, retryMs: 900 })
    mock.timers.tick(8_999)
    assert.equal(first.hasEnded(), false)
    mock.timers.tick(1)
    assert.equal(first.text(), 'id: k/0\nretry: 900\ndata: \n\n')
    assert.equal(first.hasEnded(), true)
    messages.next(line('one'))
    const second = heard((x) => resumeResponse(x, 'k/0', calls))
    messages.next(line('two'))
    mock.timers.tick(9_000)
    assert.equal(second.hasEnded(), true)
    // A connection without events keeps its position.
    assert.deepEqual(idsIn(second.text()), ['k/0', 'k/1', 'k/2', 'k/2'])
    assert.match(second.text(), /^id: k\/0\nretry: 900\ndata: \n\n[^]*\n\nid: k\/2\nretry: 900\ndata: \n\n$/)
    const third = heard((x) => resumeResponse(x, 'k/2', calls))
    messages.next({ result: {} })
    assert.equal(third.hasEnded(), true)
    assert.deepEqual(idsIn(third.text()), ['k/2', 'k/3'])
    assert.equal(third.text().match(/"result"/g)?.length, 1)
    mock.timers.tick(60_000)
    assert.equal(isGivenUp(), true)
    assert.equal(calls.size, 0)
  })

  await t.test('keeps its connection while it must stay open', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    let isLeaving = true
    const timing = { ...patient, closeAfterMs: 9_000, mustStayOpen: () => isLeaving }
    const { messages, first, pause } = began(calls, timing)
    messages.next(line('one'))
    mock.timers.tick(20_000)
    pause(10)
    assert.equal(first.hasEnded(), false)
    isLeaving = false
    pause(10)
    assert.equal(first.hasEnded(), true)
    for (const call of calls.values()) call.cancel()
  })

  await t.test('is cancelled when the client of a closed connection does not return', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    const { first, isGivenUp } = began(calls, { ...patient, closeAfterMs: 9_000 })
    mock.timers.tick(9_000)
    assert.equal(first.hasEnded(), true)
    mock.timers.tick(59_999)
    assert.equal(isGivenUp(), false)
    mock.timers.tick(1)
    assert.equal(isGivenUp(), true)
    assert.equal(calls.size, 0)
  })

  await t.test('keeps its connection while too many others are stored', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    const others = Array.from({ length: 64 }, (_, i) => began(calls, patient, `k${i}`))
    for (const { messages } of others) messages.next(line('one'))
    const { first, isGivenUp } = began(calls, { ...patient, closeAfterMs: 9_000 })
    mock.timers.tick(9_000)
    assert.equal(first.hasEnded(), false)
    for (const { messages } of others) messages.next({ result: {} })
    mock.timers.tick(63_000)
    assert.equal(first.hasEnded(), true)
    assert.equal(isGivenUp(), false)
    assert.deepEqual([...calls.keys()], ['k'])
    for (const call of calls.values()) call.cancel()
  })

  await t.test(
    'keeps its connection if it exceeds what can be stored, even if a close is requested',
    ({ mock }) => {
      mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
      const calls: ResumableCalls = new Map()
      const { messages, first, isGivenUp, pause } = began(calls, { ...patient, closeAfterMs: 9_000 })
      for (let i = 0; i < 12; i++) messages.next(line('x'.repeat(100_000)))
      mock.timers.tick(90_000)
      pause(10)
      assert.equal(first.hasEnded(), false)
      assert.equal(isGivenUp(), false)
      messages.next({ result: {} })
      assert.match(first.text(), /"result"/)
      assert.equal(first.hasEnded(), true)
    },
  )

  await t.test('may exceed the limit as long as its client fetches the events', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    const { messages, first } = began(calls, { ...patient, closeAfterMs: 9_000 })
    let [last, said] = [first, 0]
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 4; i++) messages.next(line('x'.repeat(100_000)))
      mock.timers.tick(9_000)
      said += last.text().match(/"method"/g)?.length ?? 0
      assert.equal(last.hasEnded(), true)
      last = heard((x) => resumeResponse(x, idsIn(last.text()).at(-1) ?? '', calls))
    }
    assert.equal(said, 20)
    // Evicted events are not treated as the beginning.
    assert.equal(resumeResponse(exchange(), 'k/0', calls), undefined)
    mock.timers.tick(9_000)
    messages.next({ result: { text: 'x'.repeat(2_000_000) } })
    last = heard((x) => resumeResponse(x, 'k/20', calls))
    assert.match(last.text(), /"result"/)
    for (const call of calls.values()) call.cancel()
  })

  await t.test('has a retry delay of a second, and less if it closes early', () => {
    for (const [closeAfterMs, retryMs] of [
      [undefined, 1_000],
      [50_000, 1_000],
      [5_000, 500],
      [5, 100],
    ] as const)
      assert.equal(timingFor(true, closeAfterMs).retryMs, retryMs)
  })

  await t.test('keeps its upstream calls active, over any connection, until it is cancelled', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const calls: ResumableCalls = new Map()
    const lost = began(calls, patient)
    lost.messages.next(line('one'))
    // As the sink does when a connection breaks.
    lost.first.x.cancel()
    lost.first.leave()
    assert.equal(lost.first.x.signal.aborted, false)
    mock.timers.tick(60_000)
    assert.equal(lost.first.x.signal.aborted, true)
    const silent = began(calls, patient)
    silent.first.x.cancel()
    assert.equal(silent.first.x.signal.aborted, true)
    silent.first.leave()
  })

  await t.test('is limited in number', () => {
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

test('event keys contain the request id if it is short', () => {
  for (const id of [1, -1, 0.5, 'x', '', 'a/b.c']) assert.equal(idInKey(callKey('n', id)), id)
  assert.equal(callKey('n', 'x'.repeat(200)), 'n')
  for (const key of ['', 'n', 'n.', 'n.!', 'n.bnVsbA', 'n.e30', 'n.MQ.MQ.MQ', `n.${'A'.repeat(1_000)}`])
    assert.equal(idInKey(key), undefined, key)
})
