import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../src/model/fault.ts'
import { Headers } from '../../../src/model/headers.ts'
import { timedWire } from '../../../src/upstream/mcp/timed-wire.ts'
import type { Behalf, CallSink, Wire } from '../../../src/upstream/mcp/wire.ts'

const behalf: Behalf = { headers: new Headers(), send: () => () => undefined }

/** A wire whose calls end as the test says, and what was done to it. */
const wireOf = () => {
  const sinks: CallSink[] = []
  const done: string[] = []
  const wire: Wire = {
    call: (call, _, sink) => {
      sinks.push(sink)
      done.push(`call ${call.method}`)
      return () => done.push('given up')
    },
    notify: ({ method }) => done.push(`notify ${method}`),
    answer: (id) => done.push(`answer ${id}`),
    listen: () => {
      done.push('listen')
      return () => done.push('listened')
    },
    agreed: (revision) => done.push(`agreed ${revision}`),
    sessionId: 's',
    place: 'p:1',
    closed: new Fault('mcp_server_died', 'died'),
    close: () => done.push('closed'),
  }
  return { wire, sinks, done }
}

const nobody: CallSink = { said: () => undefined, reply: () => undefined, fail: () => undefined }

test('a wire with a watch', async (t) => {
  await t.test('times what is answered and what fails, and not what is given up or there to last', () => {
    const { wire, sinks } = wireOf()
    const times: number[] = []
    const timed = timedWire(wire, (seconds) => times.push(seconds))
    timed.call({ method: 'tools/call' }, behalf, nobody)
    timed.call({ method: 'tools/call' }, behalf, nobody)
    timed.call({ method: 'tools/call' }, behalf, nobody)()
    timed.call({ method: 'subscriptions/listen' }, behalf, nobody)
    sinks[0]?.said({ jsonrpc: '2.0', method: 'notifications/progress' })
    assert.deepEqual(times, [])
    sinks[0]?.reply({ result: {} })
    sinks[1]?.fail(new Fault('mcp_server_died', 'died'))
    sinks[3]?.reply({ result: {} })
    assert.equal(times.length, 2)
    assert.ok(times.every((seconds) => seconds >= 0 && seconds < 10))
  })

  await t.test('passes everything on', () => {
    const { wire, sinks, done } = wireOf()
    const timed = timedWire(wire, () => undefined)
    const heard: unknown[] = []
    const fault = new Fault('mcp_server_died', 'died')
    const sink: CallSink = {
      said: ({ method }) => heard.push(method),
      reply: (outcome) => heard.push(outcome),
      fail: (why) => heard.push(why),
    }
    timed.call({ method: 'a' }, behalf, sink)()
    sinks[0]?.said({ jsonrpc: '2.0', method: 'b' })
    sinks[0]?.reply({ result: { ok: true } })
    sinks[0]?.fail(fault)
    timed.notify({ method: 'c' }, behalf, () => undefined)
    timed.answer(1, { result: {} }, behalf, () => undefined)
    timed.listen(behalf, { said: () => undefined, closed: () => undefined })()
    timed.agreed('2025-11-25')
    timed.close(undefined)
    assert.deepEqual([timed.sessionId, timed.place, timed.closed], ['s', 'p:1', wire.closed])
    assert.deepEqual(heard, ['b', { result: { ok: true } }, fault])
    assert.deepEqual(done, [
      ...['call a', 'given up', 'notify c', 'answer 1', 'listen', 'listened', 'agreed 2025-11-25', 'closed'],
    ])
  })
})
