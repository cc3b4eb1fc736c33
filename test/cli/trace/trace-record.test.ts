import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastValueFrom, toArray } from 'rxjs'
import { traceFileEvents } from '../../../src/cli/trace/read-trace-file.ts'
import { TraceGroups } from '../../../src/cli/trace/trace-groups.ts'
import { traceRecord } from '../../../src/cli/trace/trace-record.ts'
import { traceSummary } from '../../../src/cli/trace/trace-summary.ts'
import type { TraceEvent, TraceMessage } from '../../../src/model/trace/trace-event.ts'

const recordOf = async (name: string) =>
  traceRecord(await lastValueFrom(traceFileEvents(`test/vectors/reference/${name}.sse`).pipe(toArray())))

const event = (message: TraceMessage, requestId = '1', eventEnd = 0): TraceEvent => ({
  eventStart: null,
  eventEnd,
  severity: 'info',
  message,
  requestId,
})

test('the record of a request', async (t) => {
  await t.test('has request, route, attempts and end', async () => {
    const record = await recordOf('trace')
    assert.deepEqual(
      [record.method, record.host, record.path, record.listener, record.bind],
      ['GET', '127.0.0.1:3000', '/hello.txt', 'listener0', 'bind/3000'],
    )
    assert.equal(record.route?.selected, 'default/default/bind/3000/listener0/default/route0')
    assert.deepEqual(record.attempts, [
      { target: '127.0.0.1:8081', startUs: 5510, endUs: 8293, status: 200, error: null },
    ])
    assert.equal(record.end?.status, 200)
    assert.deepEqual(record.policies.at(-1), { phase: 'backend', effective: {} })
    assert.equal(record.bodies.length, 2)
  })

  await t.test('has the rules that refused it', async () => {
    const record = await recordOf('trace_authz_denied')
    assert.deepEqual(
      record.authorizations.map(({ result }) => result),
      ['deny'],
    )
    assert.equal(record.end?.status, 403)
    assert.match(traceSummary(record), / 403 .* authorization:deny error="authorization failed"$/)
  })

  await t.test('has no route if none matched', async () => {
    const record = await recordOf('trace_no_route')
    assert.equal(record.route?.selected, null)
    assert.match(traceSummary(record), / 404 .* route=none /)
  })

  await t.test('has the error of an attempt', async () => {
    const [attempt] = (await recordOf('trace_backend_down')).attempts
    assert.match(attempt?.error ?? '', /Connection refused/)
  })

  await t.test('has the stages with their verdicts', async () => {
    const [stage] = (await recordOf('trace_policies')).stages
    assert.equal(stage?.verdict, 'applied')
  })

  await t.test('has the attributes of language models', async () => {
    const { llm } = await recordOf('trace_llm_stream')
    assert.deepEqual([llm?.provider, llm?.model, llm?.isStreaming], ['openai', 'fake-model', true])
  })

  await t.test('pairs attempts with their results, and keeps one without a result open', () => {
    const { attempts } = traceRecord([
      event({ type: 'backendCallStart', target: 'a:1' }, '1', 10),
      event({ type: 'backendCallResult', status: 503, error: null }, '1', 20),
      event({ type: 'backendCallStart', target: 'b:1' }, '1', 30),
    ])
    assert.deepEqual(
      attempts.map(({ target, endUs, status }) => [target, endUs, status]),
      [
        ['a:1', 20, 503],
        ['b:1', undefined, null],
      ],
    )
  })

  await t.test('is one line without control characters as a summary', () => {
    const record = traceRecord([
      event({ type: 'routeSelection', selectedRoute: 'a\u001b[31m\nb', evaluatedRoutes: [] }),
      event({ type: 'policyEvent', kind: 'mcp', details: { step: 'heard', method: 'tools/call', id: 1 } }),
      event({
        type: 'policyEvent',
        kind: 'mcp',
        details: { step: 'mapped', kind: 'tool', name: 'x_echo', target: 'x', own: 'echo' },
      }),
      event({ type: 'requestFinished', status: 200, error: null, code: null }, '1', 1500),
    ])
    assert.equal(traceSummary(record), '#1 ?  200 1.5ms route=a [31m b mcp=tools/call tool=x/echo')
  })
})

test('groups of events', async (t) => {
  const start = (id: string) => event({ type: 'requestStarted' }, id)
  const end = (id: string) => event({ type: 'requestFinished', status: 200, error: null }, id)

  await t.test('are by request, with those of gateways without ids one after the other', () => {
    const groups = new TraceGroups()
    for (const one of [start('1'), start('2'), end('1'), end('2'), start(''), end(''), start(''), end('')])
      groups.add(one)
    assert.deepEqual(
      groups.all.map(({ number, events, isFinished }) => [number, events.length, isFinished]).sort(),
      [1, 2, 3, 4].map((number) => [number, 2, true]),
    )
  })

  await t.test('are bounded in number and size, and count what is missing', () => {
    const groups = new TraceGroups({ maxRequests: 2, maxEvents: 2 })
    for (const id of ['1', '2', '3']) groups.add(start(id))
    for (let i = 0; i < 3; i++) groups.add(event({ type: 'backendCallStart', target: 'a' }, '3'))
    groups.add(event({ type: 'dropped', count: 5 }, ''))
    assert.deepEqual(
      groups.all.map(({ number }) => number),
      [2, 3],
    )
    assert.equal(groups.lost, 7)
  })
})
