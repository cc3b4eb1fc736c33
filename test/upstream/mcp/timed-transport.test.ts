import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { CallCounts } from '../../../src/upstream/load-balancing/call-counts.ts'
import { timedTransport } from '../../../src/upstream/mcp/timed-transport.ts'
import type { RequestContext, CallSink, Transport } from '../../../src/upstream/mcp/transport.ts'

const context: RequestContext = { headers: new Headers(), send: () => () => undefined }

/** A transport with ends of calls from the test, which records its use. */
const wireOf = () => {
  const sinks: CallSink[] = []
  const done: string[] = []
  const transport: Transport = {
    call: (call, _, sink) => {
      sinks.push(sink)
      done.push(`call ${call.method}`)
      return () => done.push('given up')
    },
    notify: ({ method }) => done.push(`notify ${method}`),
    respond: (id) => done.push(`answer ${id}`),
    listen: () => {
      done.push('listen')
      return () => done.push('listened')
    },
    agreed: (revision) => done.push(`agreed ${revision}`),
    sessionId: 's',
    endpointAddress: 'p:1',
    closed: new Fault('mcp_server_died', 'died'),
    close: () => done.push('closed'),
  }
  return { wire: transport, sinks, done }
}

const nobody: CallSink = { onMessage: () => undefined, reply: () => undefined, fail: () => undefined }

test('a timed transport', async (t) => {
  await t.test('measures responses and failures, but no cancelled or long-lived calls', () => {
    const { wire: transport, sinks } = wireOf()
    const times: number[] = []
    const counts = new CallCounts()
    const timed = timedTransport(transport, {
      target: 'a',
      counts,
      timed: (seconds) => times.push(seconds),
    })
    timed.call({ method: 'tools/call' }, context, nobody)
    timed.call({ method: 'tools/call' }, context, nobody)
    timed.call({ method: 'tools/call' }, context, nobody)()
    timed.call({ method: 'subscriptions/listen' }, context, nobody)
    sinks[0]?.onMessage({ jsonrpc: '2.0', method: 'notifications/progress' })
    assert.deepEqual(times, [])
    sinks[0]?.reply({ result: {} })
    sinks[1]?.fail(new Fault('mcp_server_died', 'died'))
    sinks[3]?.reply({ result: {} })
    assert.equal(times.length, 2)
    assert.ok(times.every((seconds) => seconds >= 0 && seconds < 10))
    const { requests, failures, latencyMs = -1 } = counts.report
    assert.deepEqual([requests, failures, latencyMs >= 0], [3, 1, true])
  })

  await t.test('forwards everything', () => {
    const { wire: transport, sinks, done } = wireOf()
    const timed = timedTransport(transport, {
      target: 'a',
      counts: new CallCounts(),
      timed: () => undefined,
    })
    const heard: unknown[] = []
    const fault = new Fault('mcp_server_died', 'died')
    const sink: CallSink = {
      onMessage: ({ method }) => heard.push(method),
      reply: (outcome) => heard.push(outcome),
      fail: (why) => heard.push(why),
    }
    timed.call({ method: 'a' }, context, sink)()
    sinks[0]?.onMessage({ jsonrpc: '2.0', method: 'b' })
    sinks[0]?.reply({ result: { ok: true } })
    sinks[0]?.fail(fault)
    timed.notify({ method: 'c' }, context, () => undefined)
    timed.respond(1, { result: {} }, context, () => undefined)
    timed.listen(context, { onMessage: () => undefined, closed: () => undefined })()
    timed.agreed('2025-11-25')
    timed.close(undefined)
    assert.deepEqual([timed.sessionId, timed.endpointAddress, timed.closed], ['s', 'p:1', transport.closed])
    assert.deepEqual(heard, ['b', { result: { ok: true } }, fault])
    assert.deepEqual(done, [
      ...['call a', 'given up', 'notify c', 'answer 1', 'listen', 'listened', 'agreed 2025-11-25', 'closed'],
    ])
  })
})
