import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'

/** Opens a trace stream, and gives the types and request paths received until it ended. */
const watch = async (daemon: Daemon, query = '') => {
  const watcher = request(`${daemon.url('admin')}/debug/trace${query}`, { agent: false }).end()
  const [res] = (await once(watcher, 'response')) as [IncomingMessage]
  let received = ''
  const ended = (async () => {
    for await (const chunk of res) received += String(chunk)
    return received
  })()
  return { received: () => received, ended, leave: () => watcher.destroy() }
}

interface Told {
  readonly severity: string
  readonly message: Readonly<Record<string, unknown>> & { readonly type: string }
}

/** The events of a stream. */
const eventsIn = (text: string): Told[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Told)

/** Types of events, with the stage or phase that they are about. */
const outline = (events: readonly Told[]): string[] =>
  events.map(({ message }) => {
    const about = (message.stage ?? message.phase ?? message.kind) as string | undefined
    return about === undefined ? message.type : `${message.type}: ${about}`
  })

const count = (text: string, what: string): number => text.split(what).length - 1

test('a trace', async (t) => {
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: traced
    policies: { urlRewrite: { path: { full: /rewritten } }, csrf: {} }
    backends: [{ host: "${echo.host}" }]
`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string) => {
    const [res] = (await once(
      get(`${daemon.url('default')}${path}`, { agent, headers: { authorization: 'Bearer s3cr3t' } }),
      'response',
    )) as [IncomingMessage]
    res.resume()
    await once(res, 'end')
  }

  await t.test('covers one request, although its connection has more', async () => {
    const { ended } = await watch(daemon)
    await ask('/one')
    await ask('/two')
    const text = await ended
    assert.equal(count(text, 'requestStarted'), 1)
    for (const part of ['default/traced', 'url_rewrite', echo.host, '/one'])
      assert.ok(text.includes(part), part)
    assert.doesNotMatch(text, /s3cr3t|\/two/)
  })

  await t.test('waits for a request that matches its expression', async () => {
    const watcher = await watch(daemon, `?expression=${encodeURIComponent("request.path == '/awaited'")}`)
    await ask('/other')
    assert.equal(count(watcher.received(), 'requestStarted'), 0)
    await ask('/awaited')
    const text = await watcher.ended
    assert.equal(count(text, 'requestStarted'), 1)
    assert.match(text, /\/awaited/)
    assert.doesNotMatch(text, /"\/other"/)
  })

  await t.test('covers as many requests as its count', async () => {
    const { ended } = await watch(daemon, '?count=2')
    for (const path of ['/1', '/2', '/3']) await ask(path)
    assert.equal(count(await ended, 'requestStarted'), 2)
  })

  await t.test('continues while it follows', async () => {
    const watcher = await watch(daemon, '?follow=true')
    for (const path of ['/1', '/2', '/3']) await ask(path)
    while (count(watcher.received(), 'requestFinished') < 3) await new Promise(setImmediate)
    watcher.leave()
    await assert.rejects(watcher.ended)
  })
  agent.destroy()
})

test('a trace has the events of the reference implementation in the same order', async (t) => {
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { accessLog: { remove: [src.addr] } }
routes:
  - { name: plain, matches: [{ path: { exact: /plain } }], backends: [{ host: "${echo.host}" }] }
  - name: shaped
    matches: [{ path: { pathPrefix: /shaped } }]
    policies: { urlRewrite: { path: { prefix: / } }, responseHeaderModifier: { set: { x-ref: agw } }, timeout: { requestTimeout: 10s } }
    backends: [{ host: "${echo.host}" }]
  - { name: dead, matches: [{ path: { exact: /dead } }], backends: [{ host: "127.0.0.1:1" }] }
  - name: computed
    matches: [{ path: { exact: /computed } }]
    policies: { transformations: { request: { set: { x-a: request.path, x-b: "request.headers['absent']" } } } }
    backends: [{ host: "${echo.host}" }]
`)
  /** The outline of events without these types, which are additions to the reference. */
  const without = (types: readonly string[], events: readonly Told[]) =>
    outline(events).filter((line) => !types.some((type) => line.startsWith(type)))
  const traceOf = async (path: string, asked: RequestParts = {}): Promise<Told[]> => {
    const { ended } = await watch(daemon, '?bodies=true')
    await sendRequest(daemon.url('default'), path, asked)
    return eventsIn(await ended)
  }
  const messageIn = (events: readonly Told[], line: string) =>
    events[outline(events).indexOf(line)]?.message ?? assert.fail(`no ${line}`)

  const beginning = [
    'requestStarted',
    'requestSnapshot: initial request',
    'policySelection: listenerFrontend',
    'traceSampling',
    'policySelection: gateway',
    'requestSnapshot: gateway policies',
    'routeSelection',
  ]
  const called = [
    'requestSnapshot: route policies',
    'policySelection: backend',
    'requestSnapshot: final request',
    'backendCallStart',
    'bodySnapshot: final request',
    'backendCallResult',
  ]
  const answered = ['responseSnapshot: raw response', 'responseSnapshot: backend response ready']
  const end = ['responseSnapshot: final response', 'bodySnapshot: response', 'requestFinished']

  await t.test('for a forwarded request', async () => {
    assert.deepEqual(without(['policy:'], await traceOf('/plain')), [
      ...beginning,
      'policySelection: route',
      ...called,
      ...answered,
      ...end,
    ])
  })

  await t.test('for a request that policies change', async () => {
    const events = await traceOf('/shaped/x')
    assert.deepEqual(without(['policy: backend', 'policy: response_header'], events), [
      ...beginning,
      'policySelection: route',
      'policy: url_rewrite',
      'requestSnapshot: url rewrite',
      ...called,
      ...answered,
      'responseSnapshot: response header modifier',
      ...end,
    ])
    const { result } = messageIn(events, 'policy: url_rewrite')
    assert.deepEqual(result, { type: 'apply', details: 'rewrote request URL', snapshot: null })
    const { effectivePolicy } = messageIn(events, 'policySelection: route') as unknown as {
      effectivePolicy: Record<string, unknown>
    }
    const { responseHeaderModifier, urlRewrite, timeout, ...others } = effectivePolicy
    assert.deepEqual(
      [responseHeaderModifier, urlRewrite, timeout],
      [{ set: { 'x-ref': 'agw' } }, { path: { prefix: '/' } }, { requestTimeout: '10s' }],
    )
    assert.ok(Object.keys(others).length > 20)
    for (const [name, policy] of Object.entries(others)) assert.equal(policy, null, name)
  })

  await t.test('for a backend that is down', async () => {
    const events = await traceOf('/dead')
    assert.deepEqual(without(['policy:'], events), [
      ...beginning,
      'policySelection: route',
      ...called,
      ...end,
    ])
    const { status, error } = messageIn(events, 'backendCallResult')
    assert.deepEqual([status, typeof error], [null, 'string'])
  })

  await t.test('for a request without a route', async () => {
    const events = await traceOf('/nowhere')
    assert.deepEqual(outline(events), [...beginning, ...end])
    const { selectedRoute, evaluatedRoutes } = messageIn(events, 'routeSelection')
    assert.deepEqual([selectedRoute, (evaluatedRoutes as string[]).length], [null, 4])
    const reasons = Object.values(messageIn(events, 'routeSelection').notSelected as Record<string, string>)
    assert.equal(reasons.length, 4)
    for (const reason of reasons)
      assert.match(reason, /^path: is "\/nowhere", expected (prefix|exact) "\/\w+"/)
    const { status, error } = messageIn(events, 'requestFinished')
    assert.deepEqual([status, error, events.at(-1)?.severity], [404, 'route not found', 'error'])
  })

  await t.test('and with the same fields', async () => {
    const events = await traceOf('/plain?q=1', { method: 'POST', body: 'hello' })
    for (const event of events)
      assert.deepEqual(Object.keys(event), ['eventStart', 'eventEnd', 'severity', 'message', 'requestId'])
    const fields = (line: string): string[] => Object.keys(messageIn(events, line))
    const state = (line: string): Record<string, Record<string, unknown>> =>
      messageIn(events, line).requestState as Record<string, Record<string, unknown>>
    assert.deepEqual(fields('requestSnapshot: initial request'), ['type', 'stage', 'requestState'])
    assert.deepEqual(fields('backendCallResult'), ['type', 'status', 'error'])
    assert.deepEqual(fields('bodySnapshot: final request'), ['type', 'stage', 'body', 'lengthBytes'])
    assert.equal(messageIn(events, 'bodySnapshot: final request').body, 'aGVsbG8=')
    const { request, proxy, source, destination, backend, env } = state('requestSnapshot: final request')
    assert.deepEqual(Object.keys(request ?? {}), [
      ...['method', 'uri', 'path', 'pathAndQuery', 'host', 'scheme', 'version', 'headers', 'startTime'],
    ])
    assert.deepEqual(Object.keys(proxy ?? {}), ['bind', 'gateway', 'listener', 'route'])
    assert.deepEqual(Object.keys(source ?? {}), ['address', 'port', 'rawAddress', 'rawPort'])
    assert.deepEqual(Object.keys(destination ?? {}), ['address', 'port'])
    assert.deepEqual(Object.keys(backend ?? {}), ['name', 'type', 'protocol'])
    assert.deepEqual(env, {})
    const raw = state('responseSnapshot: raw response')
    assert.deepEqual(Object.keys(raw.response ?? {}), ['code', 'headers'])
    for (const time of ['requestProcessingDuration', 'upstreamDuration'])
      assert.match(String(raw.proxy?.[time]), /^\d+\.\d{9}s$/)
  })

  await t.test('for the log, sampling and the listener', async () => {
    const events = await traceOf('/plain')
    assert.deepEqual(messageIn(events, 'policySelection: listenerFrontend').effectivePolicy, {
      accessLog: { remove: ['src.addr'] },
    })
    assert.deepEqual(messageIn(events, 'policySelection: gateway').effectivePolicy, {
      ...{ cors: null, extProc: null, oidc: null, jwt: null, authorization: null, extAuthz: null },
      ...{ transformation: null, basicAuth: null, apiKey: null, buffer: null },
    })
    assert.equal(messageIn(events, 'traceSampling').decision, 'not sampled (random)')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const sampled = await traceOf('/plain', { headers: { traceparent } })
    assert.equal(messageIn(sampled, 'traceSampling').decision, 'sample (client)')
    const malformed = await traceOf('/plain', { headers: { traceparent: 'yes' } })
    assert.equal(messageIn(malformed, 'traceSampling').decision, 'not sampled (random)')
  })

  await t.test('for expressions, with the state they were evaluated in', async () => {
    const events = (await traceOf('/computed')).filter(({ message }) => message.type === 'cel')
    assert.deepEqual(
      events.map(({ severity, message: { expr, result } }) => [severity, expr, result]),
      [
        ['info', 'request.path', { type: 'string', size: 9 }],
        ['warn', "request.headers['absent']", { error: 'no such key: absent' }],
      ],
    )
    for (const { message } of events) assert.ok('requestState' in message)
  })
})
