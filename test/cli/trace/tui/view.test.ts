import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { lastValueFrom, toArray } from 'rxjs'
import { traceFileEvents } from '../../../../src/cli/trace/read-trace-file.ts'
import { type TraceGroup, TraceGroups } from '../../../../src/cli/trace/trace-groups.ts'
import { cellWidth } from '../../../../src/cli/trace/tui/cell-width.ts'
import { keyBindings } from '../../../../src/cli/trace/tui/help-lines.ts'
import { encodeLine } from '../../../../src/cli/trace/tui/screen.ts'
import { lineText } from '../../../../src/cli/trace/tui/span.ts'
import { initialTuiState, type TuiState } from '../../../../src/cli/trace/tui/tui-state.ts'
import { update } from '../../../../src/cli/trace/tui/update.ts'
import { renderScreen } from '../../../../src/cli/trace/tui/view.ts'
import type { TraceEvent, TraceMessage } from '../../../../src/model/trace/trace-event.ts'

const referenceRequests = async (...names: string[]): Promise<readonly TraceGroup[]> => {
  const groups = new TraceGroups()
  for (const name of names)
    for (const event of await lastValueFrom(
      traceFileEvents(`test/vectors/reference/${name}.sse`).pipe(toArray()),
    ))
      groups.add(event)
  return groups.all.toSorted((a, b) => a.number - b.number)
}

const stateOf = (requests: readonly TraceGroup[], fields: Partial<TuiState> = {}): TuiState => {
  const initial = initialTuiState({
    title: 'test',
    size: { columns: 80, rows: 24 },
    filter: undefined,
    hasBodies: false,
    startScreen: 'list',
  })
  const open = update(initial, { type: 'progress', progress: { type: 'open' } }).state
  return { ...update(open, { type: 'requests', requests, lostEvents: 0 }).state, ...fields }
}

const press = (state: TuiState, ...keys: string[]): TuiState =>
  keys.reduce((before, key) => update(before, { type: 'key', key }).state, state)

const textOf = (state: TuiState): string[] => renderScreen(state).map((one) => lineText(one).trimEnd())

const event = (message: TraceMessage, eventEnd = 0): TraceEvent => ({
  eventStart: null,
  eventEnd,
  severity: 'info',
  message,
  requestId: '1',
})

test('the terminal UI of a trace, as text', async (t) => {
  const files = ['trace', 'trace_authz_denied', 'trace_no_route', 'trace_backend_down', 'trace_policies']
  const requests = await referenceRequests(...files)

  await t.test('lists requests, and selects the newest until another one is selected', () => {
    const list = stateOf(requests)
    assert.deepEqual(textOf(list).slice(0, 7), [
      ' agctl trace: test                                        5 requests, following',
      '     # METHOD  STATUS     TIME REQUEST → TARGET',
      '     1 GET     200       9.7ms 127.0.0.1:3000/hello.txt → 127.0.0.1:8081',
      '     2 GET     403       0.5ms 127.0.0.1:3000/authz',
      '     3 GET     404       0.9ms 127.0.0.1:3000/unmatched',
      '     4 GET     503       0.6ms 127.0.0.1:3000/hello.txt → 127.0.0.1:8081',
      '     5 GET     200       5.1ms 127.0.0.1:3000/files/hello.txt → 127.0.0.1:8081',
    ])
    assert.equal(list.selected, 5)
    const older = press(list, 'k', 'up')
    assert.deepEqual([older.selected, older.isFollowing], [3, false])
    assert.equal(update(older, { type: 'requests', requests, lostEvents: 3 }).state.selected, 3)
    assert.equal(press(older, 'f').selected, 5)
    assert.equal(press(list, '/', '4', '0', '3', 'return').selected, 2)
  })

  await t.test('draws stages with times and verdicts as a waterfall', () => {
    const lines = textOf(press(stateOf(requests), 'return')).slice(3, 8)
    assert.deepEqual(lines, [
      'STEP                     0                          TIME VERDICT',
      'request                  ██████████████████████    5.1ms 200',
      'route                     ╵                              default/default/bind/3…',
      'url_rewrite               ╵                              ✓ rewrote request URL',
      '→ 127.0.0.1:8081          █████████████████████    4.5ms 200 head received',
    ])
    const denied = textOf(press(stateOf(requests), 'g', 'j', 'return')).join('\n')
    assert.match(denied, /authorization +╵ +deny: 0 of 1 rules/)
  })

  await t.test('shows the routes that were not chosen, policies, headers and attempts', () => {
    const opened = press(stateOf(requests), 'return')
    const route = textOf(press(opened, '2')).join('\n')
    assert.match(route, /6 of 7 routes of this listener were not chosen/)
    assert.match(route, /^✓ default\/default\/bind\/3000\/main\/default\/files$/m)
    assert.match(route, /^✗ default\/default\/bind\/3000\/main\/default\/authz$/m)
    assert.match(
      textOf(press(opened, '3')).join('\n'),
      /^ {2}responseHeaderModifier: \{"set":\{"x-ref":"agw"\}\}$/m,
    )
    const headers = textOf(press(opened, '4'))
    assert.ok(headers.includes('- GET http://127.0.0.1:3000/files/hello.txt HTTP/1.1'))
    assert.ok(headers.includes('+ GET http://127.0.0.1:3000/hello.txt HTTP/1.1'))
    assert.ok(headers.includes('+ x-ref: agw') && headers.includes('  content-length: 20'))
    const attempts = textOf(press(opened, '[', '5')).join('\n')
    assert.match(attempts, /^Attempt 1 of 1\ntarget +127\.0\.0\.1:8081$/m)
    assert.match(attempts, /^result +upstream call failed: Connect: Connection refused/m)
    assert.match(textOf(press(opened, '[', '[', '2')).join('\n'), /route +none matched/)
  })

  await t.test('shows attributes of language models, and bodies as text', async () => {
    const [request] = await referenceRequests('trace_llm_stream')
    const opened = press(stateOf([request!]), 'return')
    assert.match(textOf(press(opened, '6')).join('\n'), /^model +fake-model\nrequest +Completions, stream$/m)
    assert.match(
      textOf(press(opened, '7')).join('\n'),
      /^llm request before translation: 74 bytes\n\{\n {2}"model"/m,
    )
    const withoutBodies = stateOf([
      { number: 1, events: [event({ type: 'requestStarted' })], isFinished: false },
    ])
    assert.match(textOf(press(withoutBodies, 'return', '7')).join('\n'), /start with --bodies/)
  })

  await t.test('shows steps of MCP requests with their times', () => {
    const call: TraceMessage = {
      type: 'policyEvent',
      kind: 'mcp',
      details: { step: 'call', target: 'shop', method: 'tools/call', revision: null, bridged: false },
    }
    const events = [event({ type: 'requestStarted' }), { ...event(call, 9000), eventStart: 1000 }]
    const opened = press(stateOf([{ number: 1, events, isFinished: false }]), 'return')
    assert.match(textOf(opened).join('\n'), /^mcp call +█+ +8\.0ms target=shop/m)
    assert.match(
      textOf(press(opened, '6')).join('\n'),
      /call target=shop method=tools\/call bridged=false \(8\.0ms\)/,
    )
  })

  await t.test('fits every view into every size, whatever the network sent', () => {
    const evil = '\u001b]0;x\u0007\u009b2J\u202e漢字👩‍👩‍👧\u0301'.repeat(40)
    const evilEvents = [
      event({
        type: 'requestSnapshot',
        stage: evil,
        requestState: {
          request: {
            method: evil,
            uri: evil,
            path: evil,
            pathAndQuery: evil,
            host: evil,
            scheme: 'http',
            version: evil,
            headers: { [evil]: [evil, evil] },
            startTime: '',
          },
          proxy: { bind: evil },
          env: {},
        },
      }),
      event({ type: 'routeSelection', selectedRoute: evil, evaluatedRoutes: [evil] }),
      event({ type: 'policySelection', phase: evil, effectivePolicy: { [evil]: evil } }),
      event({ type: 'policy', kind: evil, result: { type: 'skip', reason: evil } }),
      event({ type: 'backendCallStart', target: evil }),
      event({ type: 'bodySnapshot', stage: evil, body: Buffer.from(evil).toString('base64') }),
      event({ type: 'requestFinished', status: 200, error: evil }),
    ]
    const state = stateOf([{ number: 1, events: evilEvents, isFinished: true }], {
      title: evil,
      filter: evil,
    })
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 40, rows: 8 },
      { columns: 211, rows: 60 },
      { columns: 1, rows: 1 },
    ])
      for (const keys of [
        [],
        ['return'],
        ...'2345678c?'.split('').map((key) => ['return', key]),
        ['/', evil, 'x'],
      ]) {
        const screen = renderScreen(press(update(state, { type: 'resize', size }).state, ...keys))
        assert.equal(screen.length, size.rows)
        for (const spans of screen) {
          const width = spans.reduce((sum, { text }) => sum + cellWidth(text), 0)
          assert.ok(width <= size.columns, `${String(width)} of ${String(size.columns)}: ${lineText(spans)}`)
          assert.doesNotMatch(lineText(spans), /[\p{Cc}\p{Cf}]/u)
        }
      }
  })

  await t.test('marks what a search finds, and scrolls to it', () => {
    const opened = press(stateOf(requests, { size: { columns: 80, rows: 10 } }), 'return', '8')
    const found = press(opened, '/', ...Array.from('FINISHED'), 'return')
    const hits = renderScreen(found).flatMap((spans) => spans.filter(({ tone }) => tone === 'hit'))
    assert.deepEqual(
      hits.map(({ text }) => text),
      ['Finished'],
    )
    assert.ok(found.scroll > 0)
    assert.match(textOf(press(opened, '/', 'ö')).at(-1) ?? '', /^\/ö█|not found: ö/)
    const next = press(opened, '/', ...Array.from('snapshot'), 'return')
    const first = next.search?.foundAt
    assert.ok((press(next, 'n').search?.foundAt ?? 0) > (first ?? 0))
    assert.equal(press(next, 'n', 'N').search?.foundAt, first)
    assert.equal(press(next, 'escape').search, undefined)
  })

  await t.test('scrolls within its lines', () => {
    const opened = press(stateOf(requests), 'return', '8')
    const size = { columns: 80, rows: 10 }
    const small = update(opened, { type: 'resize', size }).state
    assert.equal(press(small, 'up').scroll, 0)
    const end = press(small, 'G')
    assert.equal(end.scroll, 17)
    assert.match(textOf(end).at(-1) ?? '', /^18–23 of 23 /)
    assert.equal(press(end, 'down').scroll, 17)
    assert.equal(update(end, { type: 'resize', size: { columns: 80, rows: 24 } }).state.scroll, 3)
  })

  await t.test('goes back step by step, and quits at the top only', () => {
    const opened = press(stateOf(requests), 'return', '?')
    assert.equal(opened.overlay, 'help')
    const list = press(opened, 'q', 'escape')
    assert.deepEqual([list.overlay, list.screen], [undefined, 'list'])
    assert.equal(update(list, { type: 'key', key: 'escape' }).command, undefined)
    assert.deepEqual(update(list, { type: 'key', key: 'q' }).command, { type: 'quit' })
    assert.deepEqual(update(press(list, '/'), { type: 'key', key: 'ctrl-c' }).command, { type: 'interrupt' })
    assert.equal(press(list, '/', 'q').search?.text, 'q')
  })

  await t.test('opens the only request of a trace that ends', () => {
    const one = stateOf(requests.slice(0, 1))
    const ended = update(one, { type: 'progress', progress: { type: 'ended' } }).state
    assert.equal(ended.screen, 'request')
    assert.deepEqual(update(ended, { type: 'key', key: 'q' }).command, { type: 'quit' })
  })

  await t.test('says why a trace failed, and how many events were lost', () => {
    const progress = { type: 'failed', reason: 'the gateway is gone' } as const
    const failed = update(stateOf(requests, { lostEvents: 7 }), { type: 'progress', progress }).state
    assert.match(textOf(failed)[0] ?? '', /5 requests, 7 events lost, failed$/)
    assert.equal(textOf(failed).at(-1), 'the gateway is gone (q quits)')
  })

  await t.test('has no colours if they are not wanted', () => {
    const lines = renderScreen(press(stateOf(requests), 'return'))
    assert.match(lines.map((one) => encodeLine(one, true)).join(''), /\u001b\[32m/)
    assert.doesNotMatch(lines.map((one) => encodeLine(one, false)).join(''), /\u001b\[(?![0127]m)/)
  })

  await t.test('explains every key', () => {
    assert.ok(keyBindings.every(([keys]) => keys.length < 20))
    const page = readFileSync('docs/reference/agctl.md', 'utf8')
    for (const [keys, meaning] of keyBindings) {
      const row = `| ${keys} | ${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}. |`
      assert.ok(page.replaceAll(/ +/g, ' ').includes(row), row)
    }
    assert.match(textOf(press(stateOf(requests), '?')).join('\n'), /^c +copy the request as a curl command/m)
  })
})
