import assert from 'node:assert/strict'
import { test } from 'node:test'
import { of } from 'rxjs'
import type { Exchange } from '../../src/model/exchange/exchange.ts'
import { Headers } from '../../src/model/exchange/headers.ts'
import { Redaction } from '../../src/model/trace/redact.ts'
import { deny, Reply } from '../../src/model/exchange/reply.ts'
import { emptyBody } from '../../src/model/exchange/body.ts'
import type { RouteLabels } from '../../src/model/resources/snapshot.ts'
import type { TraceEvent } from '../../src/model/trace/trace-event.ts'
import { onReply, onRequest } from '../../src/pipeline/stage.ts'
import { Trace, type Watch } from '../../src/pipeline/trace.ts'
import { exchange, type ExchangeOverrides } from '../../src/testing/exchange.ts'

const labels: RouteLabels = {
  bind: 'bind/3000',
  gateway: 'default/default',
  listener: 'main',
  route: 'default/files',
  routeRule: undefined,
}

/** The trace of the stages of a gateway for a proxied request. */
const proxy = (x: Exchange, status = 200): void => {
  x.probe?.record({ type: 'policySelection', phase: 'gateway', effectivePolicy: { cors: null } })
  x.probe?.snapshot('gateway policies')
  x.probe?.record({ type: 'routeSelection', selectedRoute: 'files', evaluatedRoutes: ['dead', 'files'] })
  x.labels = labels
  x.request.path = x.request.path.replace('/files', '')
  x.probe?.snapshot('route policies')
  x.upstream.backend = { name: '/files/backend0', type: 'static', protocol: 'http' }
  x.probe?.snapshot('final request')
  x.probe?.record({ type: 'backendCallStart', target: '127.0.0.1:8081' })
  x.upstream.startedAt = performance.now()
  const began = x.probe?.now()
  x.upstream.respondedAt = performance.now()
  x.reply = new Reply(
    status,
    new Headers(['server', 'test', 'set-cookie', 'a=secret-1']),
    emptyBody,
    'Upstream',
  )
  x.probe?.record({ type: 'backendCallResult', status, error: null }, began)
  x.probe?.snapshot('raw response')
  x.probe?.snapshot('final response')
}

/** Watches, collects the events, and returns them after a flush. */
const keep = (trace: Trace, watch: Partial<Watch> = {}) => {
  const events: TraceEvent[] = []
  const kept = { events, isDone: false }
  const stop = trace.watch({
    receive: (batches) => {
      for (const batch of batches) events.push(...batch.events(watch.bodies ?? false))
    },
    done: () => (kept.isDone = true),
    ...watch,
  })
  return Object.assign(kept, { stop })
}

const shape = (events: readonly TraceEvent[]) =>
  events.map(({ message }) => {
    if ('stage' in message) return `${message.type}: ${message.stage}`
    return 'phase' in message ? `${message.type}: ${message.phase}` : message.type
  })

const trace = (overrides: ExchangeOverrides = {}, act: (x: Exchange) => void = proxy): TraceEvent[] => {
  const trace = new Trace(new Redaction(['x-badge']))
  const kept = keep(trace)
  const x = exchange({ trace, ...overrides })
  act(x)
  trace.ended(x)
  trace.flush()
  return kept.events
}

test('the trace of a request', async (t) => {
  await t.test('has expressions with the state that they were evaluated in', () => {
    const evaluate = (x: Exchange, expr: string, result: unknown): void =>
      x.probe?.record({ type: 'cel', expr, result }, x.probe.now())
    const events = trace({ path: '/a', headers: { authorization: 'Bearer SECRET-1' } }, (x) => {
      evaluate(x, 'request.path == "/a"', true)
      x.request.path = '/b'
      evaluate(x, 'int(request.headers["x"])', { error: 'no such key: SECRET-1' })
    })
    const [one, other] = events.filter(({ message }) => message.type === 'cel')
    assert.deepEqual(Object.keys(one?.message ?? {}), ['type', 'expr', 'requestState', 'result'])
    const pathIn = (event: TraceEvent | undefined): unknown =>
      (event?.message as { requestState: { request: { path: string } } }).requestState.request.path
    assert.deepEqual([one?.severity, other?.severity], ['info', 'warn'])
    assert.deepEqual([pathIn(one), pathIn(other)], ['/a', '/b'])
    assert.equal(typeof one?.eventStart, 'number')
    assert.doesNotMatch(JSON.stringify(events), /SECRET/)
  })

  await t.test('has a limited number of expressions, and a mark beyond it', () => {
    const events = trace({}, (x) => {
      for (let i = 0; i < 100; i++) x.probe?.record({ type: 'cel', expr: String(i), result: false }, 0)
    })
    assert.equal(events.filter(({ message }) => message.type === 'cel').length, 64)
    const more = events.filter(({ message }) => message.type === 'policyEvent')
    assert.deepEqual(
      more.map(({ message }) => message),
      [{ type: 'policyEvent', kind: 'cel', details: '64 evaluations were shown, further ones are not' }],
    )
  })

  await t.test('has all events in order', () => {
    assert.deepEqual(shape(trace()), [
      'requestStarted',
      'requestSnapshot: initial request',
      'policySelection: gateway',
      'requestSnapshot: gateway policies',
      'routeSelection',
      'requestSnapshot: route policies',
      'requestSnapshot: final request',
      'backendCallStart',
      'backendCallResult',
      'responseSnapshot: raw response',
      'responseSnapshot: final response',
      'requestFinished',
    ])
  })

  await t.test('wraps each event in an envelope', () => {
    const events = trace()
    for (const event of events) {
      assert.deepEqual(Object.keys(event), ['eventStart', 'eventEnd', 'severity', 'message', 'requestId'])
      assert.match(event.requestId, /^\d+$/)
      assert.ok(Number.isInteger(event.eventEnd) && event.eventEnd >= 0)
      if (event.message.type === 'backendCallResult') assert.ok(Number.isInteger(event.eventStart))
      else assert.equal(event.eventStart, null)
    }
    assert.equal(new Set(events.map((event) => event.requestId)).size, 1)
  })

  await t.test('has the request as expressions see it', () => {
    const [, initial, , , , , final] = trace({
      path: '/files/a.txt?page=2',
      authority: 'files.test:3000',
      headers: { accept: '*/*', 'x-twice': ['1', '2'] },
    })
    assert.ok(initial?.message.type === 'requestSnapshot' && final?.message.type === 'requestSnapshot')
    const { request, proxy, env, source, destination } = initial.message.requestState
    assert.ok(request)
    const { startTime, ...rest } = request
    assert.match(startTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    assert.ok(Math.abs(Date.now() - Date.parse(startTime)) < 60_000)
    assert.deepEqual(rest, {
      method: 'GET',
      uri: 'http://files.test:3000/files/a.txt?page=2',
      path: '/files/a.txt',
      pathAndQuery: '/files/a.txt?page=2',
      host: 'files.test:3000',
      scheme: 'http',
      version: 'HTTP/1.1',
      headers: { accept: '*/*', 'x-twice': ['1', '2'] },
    })
    assert.deepEqual([proxy, env], [{ bind: 'bind/80' }, {}])
    assert.deepEqual(source, {
      address: '127.0.0.1',
      port: 50_000,
      rawAddress: '127.0.0.1',
      rawPort: 50_000,
    })
    assert.deepEqual(destination, { address: '127.0.0.1', port: 80 })

    const later = final.message.requestState
    assert.equal(later.request?.path, '/a.txt')
    assert.deepEqual(later.proxy, {
      bind: 'bind/3000',
      gateway: { namespace: 'default', name: 'default' },
      listener: { name: 'main' },
      route: { namespace: 'default', name: 'files' },
    })
    assert.deepEqual(later.backend, { name: '/files/backend0', type: 'static', protocol: 'http' })
  })

  await t.test('has the response, with its timings', () => {
    const raw = trace().find((event) => event.message.type === 'responseSnapshot')
    assert.ok(raw?.message.type === 'responseSnapshot')
    const state = raw.message.requestState
    assert.deepEqual(state.response, { code: 200, headers: { server: 'test', 'set-cookie': '<redacted>' } })
    assert.match(String(state.proxy.requestProcessingDuration), /^\d+\.\d{9}s$/)
    assert.match(String(state.proxy.upstreamDuration), /^\d+\.\d{9}s$/)
  })

  await t.test('has snapshots of each moment, whatever changed later', () => {
    const events = trace({ headers: { 'x-a': '1' } }, (x) => {
      x.request.headers.set('x-a', '2')
      x.probe?.snapshot('route policies')
      x.request.headers.set('x-a', '3')
    })
    const seen = events.flatMap(({ message }) =>
      message.type === 'requestSnapshot'
        ? [(message.requestState as { request: { headers: unknown } }).request.headers]
        : [],
    )
    assert.deepEqual(seen, [{ 'x-a': '1' }, { 'x-a': '2' }])
  })

  await t.test('has the reason of a routing failure, and the end of the exchange', () => {
    const events = trace({}, (x) => {
      x.probe?.record({ type: 'routeSelection', selectedRoute: null, evaluatedRoutes: [] })
      x.reply = deny(404, 'route_not_found', { message: 'route not found' })
      x.probe?.snapshot('final response')
    })
    assert.deepEqual(
      events.slice(-3).map(({ severity, message }) => [severity, message.type]),
      [
        ['error', 'routeSelection'],
        ['info', 'responseSnapshot'],
        ['error', 'requestFinished'],
      ],
    )
    assert.deepEqual(events.at(-1)?.message, {
      type: 'requestFinished',
      status: 404,
      error: 'route not found',
      code: 'route_not_found',
    })
  })

  await t.test('has each stage once, with its time and its verdict', () => {
    const events = trace({}, (x) => {
      const open = onRequest('open-hours', () => undefined)
      const csrf = onRequest('csrf', (one) => {
        const result = {
          type: 'apply',
          details: 'refused a request of another site',
          snapshot: null,
        } as const
        one.probe?.record({ type: 'policy', kind: 'csrf', result })
        one.probe?.snapshot('csrf')
        return deny(403, 'csrf_failed')
      })
      const stamp = onReply('stamp', () => undefined)
      of(x).pipe(open, csrf, stamp).subscribe()
    })
    const policies = events.filter(({ message }) => message.type === 'policy')
    assert.deepEqual(
      policies.map(({ severity, eventStart, eventEnd, message }) => {
        assert.ok(message.type === 'policy' && eventStart !== null)
        assert.ok(message.tookUs !== undefined && message.tookUs >= 0 && eventEnd >= eventStart)
        return [severity, message.kind, message.result, message.status, message.code]
      }),
      [
        ['info', 'open_hours', { type: 'apply', details: 'passed', snapshot: null }, null, null],
        [
          'warn',
          'csrf',
          { type: 'apply', details: 'refused a request of another site', snapshot: null },
          403,
          'csrf_failed',
        ],
        ['info', 'stamp', { type: 'apply', details: 'passed', snapshot: null }, null, null],
      ],
    )
  })

  await t.test('has levels of calls by their outcome', () => {
    const graded = [200, 404, 501].map((status) => {
      const events = trace({}, (x) => proxy(x, status))
      return events.find(({ message }) => message.type === 'backendCallResult')?.severity
    })
    assert.deepEqual(graded, ['info', 'warn', 'error'])
  })
})

test('a trace watcher', async (t) => {
  await t.test('creates no probes while it is absent', () => {
    const trace = new Trace()
    assert.equal(exchange({ trace }).probe, undefined)
    const { stop } = keep(trace, { count: Infinity })
    assert.notEqual(exchange({ trace }).probe, undefined)
    stop()
    assert.equal(exchange({ trace }).probe, undefined)
  })

  await t.test('gets exchanges that match its filter, and no others are probed', () => {
    const trace = new Trace()
    const kept = keep(trace, { filter: (x) => x.request.path === '/a', count: Infinity })
    assert.equal(exchange({ trace, path: '/b' }).probe, undefined)
    const x = exchange({ trace, path: '/a' })
    trace.ended(x)
    trace.flush()
    assert.deepEqual(new Set(kept.events.map((event) => event.requestId)), new Set([String(x.request.id)]))
  })

  await t.test('with a filter that throws gets nothing and affects nothing', () => {
    const trace = new Trace()
    keep(trace, {
      filter: () => {
        throw new Error('no such key')
      },
    })
    assert.equal(exchange({ trace }).probe, undefined)
  })

  await t.test('gets complete exchanges only, and none that began before', () => {
    const trace = new Trace()
    const early = keep(trace)
    const x = exchange({ trace })
    const late = keep(trace, { count: Infinity })
    proxy(x)
    trace.ended(x)
    trace.flush()
    assert.equal(early.events.length, 12)
    assert.equal(late.events.length, 0)
  })

  await t.test('gets one exchange by default, and ends with that', () => {
    const trace = new Trace()
    const kept = keep(trace)
    const x = exchange({ trace })
    assert.equal(exchange({ trace }).probe, undefined)
    trace.flush()
    assert.equal(kept.isDone, false)
    trace.ended(x)
    trace.flush()
    assert.equal(kept.isDone, true)
    assert.equal(trace.watching, 0)
  })

  await t.test('ends with the last of its exchanges, in any order', () => {
    const trace = new Trace()
    const kept = keep(trace, { count: 2 })
    const one = exchange({ trace })
    const other = exchange({ trace })
    trace.ended(other)
    trace.ended(other)
    trace.flush()
    assert.equal(kept.isDone, false)
    trace.ended(one)
    trace.flush()
    assert.equal(kept.isDone, true)
  })

  await t.test('shares exchanges with other watchers', () => {
    const trace = new Trace()
    const all = [keep(trace), keep(trace), keep(trace, { filter: () => false })]
    trace.ended(exchange({ trace }))
    trace.flush()
    assert.deepEqual(
      all.map((kept) => kept.events.length),
      [3, 3, 0],
    )
  })

  await t.test('gets bodies only on request', () => {
    const trace = new Trace()
    const without = keep(trace)
    const plain = exchange({ trace })
    assert.equal(plain.probe?.includesBodies, false)
    const also = keep(trace)
    const withBodies = keep(trace, { bodies: true })
    const x = exchange({ trace })
    assert.equal(x.probe?.includesBodies, true)
    x.probe.record({ type: 'bodySnapshot', stage: 'response', body: 'aGk=' })
    trace.flush()
    const bodies = [without, also, withBodies].map(({ events }) =>
      shape(events).includes('bodySnapshot: response'),
    )
    assert.deepEqual(bodies, [false, false, true])
  })

  await t.test('gets events soon, but not on the stack of the request', async () => {
    const trace = new Trace()
    const kept = keep(trace)
    const arrived = new Promise<void>((resolve) => {
      const stop = trace.watch({ receive: () => resolve() })
      t.after(stop)
    })
    exchange({ trace })
    assert.equal(kept.events.length, 0)
    await arrived
    assert.deepEqual(shape(kept.events), ['requestStarted', 'requestSnapshot: initial request'])
  })

  await t.test('is notified when the trace is closed', () => {
    const trace = new Trace()
    const kept = keep(trace)
    exchange({ trace })
    trace.close()
    assert.deepEqual([kept.events.length, kept.isDone, trace.watching], [2, true, 0])
  })
})

test('events$', async (t) => {
  await t.test('gives the same events as objects while subscribed', () => {
    const trace = new Trace()
    const events: TraceEvent[] = []
    const subscription = trace.events$.subscribe((event) => events.push(event))
    trace.ended(exchange({ trace }))
    trace.flush()
    assert.deepEqual(shape(events), ['requestStarted', 'requestSnapshot: initial request', 'requestFinished'])
    subscription.unsubscribe()
    assert.equal(trace.watching, 0)
  })

  await t.test('completes when the trace is closed', () => {
    const trace = new Trace()
    let completed = false
    trace.events$.subscribe({ complete: () => (completed = true) })
    trace.close()
    assert.ok(completed)
  })
})

test('a trace contains no credentials', async (t) => {
  const secrets = {
    authorization: 'Bearer SECRET-bearer',
    'proxy-authorization': 'Basic SECRET-basic',
    cookie: 'session=SECRET-cookie',
    'x-api-key': 'SECRET-api',
    'api-key': 'SECRET-azure',
    'x-goog-api-key': 'SECRET-goog',
    'x-auth-token': 'SECRET-auth',
    'x-amz-security-token': 'SECRET-amz',
    'x-badge': 'SECRET-badge',
    referer: 'https://a.test/?access_token=SECRET-referer',
    'sec-websocket-protocol': 'realtime, openai-insecure-api-key.SECRET-protocol',
  }
  const path =
    '/SEEN?page=2&key=SECRET-a&API_KEY=SECRET-b&token=SECRET-c&password=SECRET-d&code=SECRET-e&%74oken=SECRET-f'
  const events = trace({ path, headers: secrets }, (x) => {
    proxy(x)
    const details = `compared ${secrets.authorization} and SECRET-api`
    x.probe?.record({ type: 'policy', kind: 'jwt', result: { type: 'apply', details, snapshot: null } })
    x.probe?.record({ type: 'cel', expr: 'request.headers["x-badge"]', result: 'SECRET-badge' })
    const set = [['authorization', 'Bearer SECRET-configured']]
    x.probe?.record({
      type: 'policySelection',
      phase: 'route',
      effectivePolicy: { requestHeaderModifier: { set }, backendAuth: { apiKey: 'SECRET-key' } },
    })
    x.reply = deny(503, 'upstream_failed', {
      message: 'cannot reach http://user:SECRET-user@host/?token=SECRET-url',
      headers: { location: 'https://a.test/cb?code=SECRET-code&state=1', 'set-cookie': 'a=SECRET-set' },
    })
    x.probe?.snapshot('final response')
  })
  const text = JSON.stringify(events)
  await t.test('in headers, addresses, policies, values and errors', () => {
    assert.deepEqual(text.match(/SECRET-[a-z]+/g), null)
  })
  await t.test('and contains everything else', () => {
    assert.match(text, /\/SEEN\?page=2&key=<redacted>&API_KEY=<redacted>/)
    assert.match(text, /https:\/\/a\.test\/cb\?code=<redacted>&state=1/)
    assert.match(text, /"sec-websocket-protocol":"realtime, <redacted>"/)
  })
})
