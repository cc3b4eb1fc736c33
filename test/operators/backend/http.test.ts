import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { BufferBody, emptyBody } from '../../../src/model/exchange/body.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { respond } from '../../../src/model/exchange/reply.ts'
import { backend } from '../../../src/operators/backend/http.ts'
import { applied } from '../../../src/operators/trace-policy.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { operatorLaws } from '../../../src/testing/operator-laws.ts'
import { TraceRecorder } from '../../../src/testing/trace-recorder.ts'
import { watchRun } from '../../../src/testing/observe-run.ts'
import type { UpstreamEvents } from '../../../src/upstream/call.ts'
import type { HttpUpstream } from '../../../src/upstream/upstream.ts'

const labels = { name: 'default/api', type: 'static', protocol: 'http' } as const

/** An upstream with events from the test, which counts its requests. */
const byHand = (begin: (events: UpstreamEvents) => void = () => undefined) => {
  const calls: UpstreamEvents[] = []
  const upstream: HttpUpstream & { readonly calls: UpstreamEvents[]; aborts: number } = {
    labels,
    calls,
    aborts: 0,
    call: (_, events) => {
      calls.push(events)
      begin(events)
      return {
        abort: () => {
          upstream.aborts++
        },
      }
    },
  }
  return upstream
}

test('backend', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(
      backend(
        byHand((events) => {
          events.head(200, [], emptyBody)
          events.end()
        }),
      ),
    ),
  )

  await t.test('replies with the response of the upstream, and completes with its last byte', () => {
    const upstream = byHand()
    const x = exchange()
    const run = watchRun(backend(upstream), x)
    assert.deepEqual(run.events, [])
    upstream.calls[0]!.head(201, ['x-a', '1'], new BufferBody('hello'))
    assert.deepEqual(run.events, ['next'])
    assert.deepEqual(
      [x.reply?.status, x.reply?.headers.raw, x.reply?.reason, x.upstream.attempts, x.upstream.backend],
      [201, ['x-a', '1'], 'Upstream', 1, labels],
    )
    assert.ok(x.upstream.startedAt > 0 && x.upstream.respondedAt >= x.upstream.startedAt)
    upstream.calls[0]!.end()
    assert.deepEqual(run.events, ['next', 'complete'])
  })

  await t.test('passes an exchange that has a reply, without a call', () => {
    const upstream = byHand()
    const run = watchRun(backend(upstream), exchange({ reply: respond(200, 'direct') }))
    assert.deepEqual([run.events, upstream.calls.length], [['next', 'complete'], 0])
  })

  await t.test('passes a failure on, before and after the head', () => {
    const fault = new Fault('upstream_failed', 'gone')
    const before = byHand()
    const early = watchRun(backend(before), exchange())
    before.calls[0]!.fail(fault)
    assert.deepEqual([early.events, early.fault], [['error'], fault])
    const after = byHand()
    const late = watchRun(backend(after), exchange())
    after.calls[0]!.head(200, [], emptyBody)
    after.calls[0]!.fail(fault)
    assert.deepEqual(late.events, ['next', 'error'])
  })

  await t.test('passes an exception of the call on', () => {
    const bug = new Error('a bug')
    const run = watchRun(
      backend(
        byHand(() => {
          throw bug
        }),
      ),
      exchange(),
    )
    assert.deepEqual([run.events, run.fault], [['error'], bug])
  })

  await t.test('aborts the call when the client disconnects, also in the middle of a reply', () => {
    const upstream = byHand()
    watchRun(backend(upstream), exchange()).unsubscribe()
    assert.equal(upstream.aborts, 1)
    const run = watchRun(backend(upstream), exchange())
    upstream.calls[1]!.head(200, [], emptyBody)
    run.unsubscribe()
    assert.equal(upstream.aborts, 2)
  })

  await t.test('forwards informational responses to clients that support them', () => {
    const upstream = byHand()
    const x = exchange()
    const hints: unknown[] = []
    x.downstream.informationalSink = {
      sendInformational: (...hint) => {
        hints.push(hint)
        return hints.length > 1
      },
    }
    const resume = () => undefined
    watchRun(backend(upstream), x)
    assert.equal(upstream.calls[0]!.info(103, ['link', '</a>'], resume), false)
    assert.equal(upstream.calls[0]!.info(103, [], resume), true)
    assert.deepEqual(hints, [
      [103, ['link', '</a>'], resume],
      [103, [], resume],
    ])
    upstream.calls[0]!.end()
  })

  await t.test('hands a tunnel over with the reply', () => {
    const upstream = byHand()
    const x = exchange({ upgrade: 'websocket' })
    const run = watchRun(backend(upstream), x)
    const stream = new PassThrough()
    upstream.calls[0]!.tunnel(101, ['upgrade', 'websocket'], stream)
    assert.deepEqual([x.reply?.status, x.reply?.tunnel, x.reply?.body], [101, stream, emptyBody])
    upstream.calls[0]!.end()
    assert.deepEqual(run.events, ['next', 'complete'])
  })

  await t.test('keeps the header case of the upstream for a client whose header case is kept', () => {
    const upstream = byHand()
    const x = exchange()
    x.request.headers = new Headers(['host', 'a'], new Map())
    watchRun(backend(upstream), x)
    upstream.calls[0]!.head(200, ['x-api', '1'], emptyBody, [Buffer.from('X-API'), Buffer.from('1')])
    assert.deepEqual(x.reply?.headers.spelled(), ['X-API', '1'])
    upstream.calls[0]!.end()
  })

  await t.test('reports the outcome of a call to the probe', () => {
    const trace = new TraceRecorder()
    const upstream = byHand()
    watchRun(backend(upstream), exchange({ trace }))
    upstream.calls[0]!.head(404, [], emptyBody)
    upstream.calls[0]!.end()
    const failing = byHand()
    watchRun(backend(failing), exchange({ trace }))
    failing.calls[0]!.fail(new Fault('upstream_connect', 'upstream call failed: connection refused'))
    const selection = { type: 'policySelection', phase: 'backend', effectivePolicy: {} }
    assert.deepEqual(trace.entries, [
      selection,
      { type: 'backendCallResult', status: 404, error: null },
      selection,
      { type: 'backendCallResult', status: null, error: 'upstream call failed: connection refused' },
      applied('backend', 'upstream call failed: connection refused'),
    ])
    assert.deepEqual(trace.snapshots, [
      'route policies',
      'raw response',
      'backend response ready',
      'route policies',
    ])
    assert.deepEqual(trace.stages, ['backend', 'backend'])
  })
})
