import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { httpServer, listening, rawServer } from '../support/upstream-servers.ts'

test('the metrics of the daemon', async (t) => {
  using authority = makeAuthority()
  await using plain = await httpServer((req, res) => {
    if (req.url === '/slow') res.write('begun')
    else res.end('plain')
  })
  await using mirrored = await httpServer((_, res) => res.end())
  await using secured = await listening(
    createServer(authority.issue('up.example'), (_, res) => res.end('secured')),
  )
  await using raw = await rawServer((socket) => socket.end('raw'))
  await using daemon = await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
routes:
  - name: secured
    matches: [{ path: { exact: /secured } }]
    backends:
      - host: "127.0.0.1:${secured.port}"
        policies: { backendTLS: { root: ${authority.certFile}, hostname: up.example } }
  - name: mirrored
    matches: [{ path: { exact: /mirrored } }]
    policies:
      requestMirror: { backend: { host: "127.0.0.1:${mirrored.port}" } }
      directResponse: { status: 200, body: direct }
  - { name: plain, backends: [{ host: "127.0.0.1:${plain.port}" }] }
tcpRoutes:
  - { name: raw, gateways: raw, backends: [{ host: "127.0.0.1:${raw.port}" }] }
`)
  const text = async () => (await fetch(`${daemon.url('stats')}/metrics`)).text()
  const sample = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(await text())?.[1] ?? NaN)
  const connects = (transport: string) =>
    sample(`agentgateway_upstream_connect_duration_seconds_count{transport="${transport}"}`)

  await t.test('include the connect time to upstreams by transport', async () => {
    assert.equal((await sendRequest(daemon.url('default'), '/plain')).text, 'plain')
    assert.deepEqual([await connects('plaintext'), await connects('tls')], [1, NaN])
    assert.equal((await sendRequest(daemon.url('default'), '/secured')).text, 'secured')
    assert.deepEqual([await connects('plaintext'), await connects('tls')], [1, 1])
    using client = await RawClient.to(Number(/raw listens on \S+:(\d+)/.exec(daemon.output())?.[1]))
    assert.equal(await client.end(), 'raw')
    assert.deepEqual([await connects('plaintext'), await connects('tls')], [2, 1])
  })

  await t.test('count mirrored requests as calls of their own', async () => {
    const copies = () =>
      sample('agentgateway_upstream_call_duration_seconds_count{kind="Mirror",subtype="Http"}')
    assert.equal((await sendRequest(daemon.url('default'), '/mirrored')).text, 'direct')
    while (Number.isNaN(await copies())) await setTimeout(10)
    assert.equal(await copies(), 1)
  })

  await t.test('include the requests in flight', async () => {
    const inFlight = () => sample('agentgateway_exchanges_in_flight')
    while ((await inFlight()) !== 0) await setTimeout(10)
    const asked = get(`${daemon.url('default')}/slow`)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await once(answer, 'data')
    assert.equal(await inFlight(), 1)
    asked.socket?.resetAndDestroy()
    while ((await inFlight()) !== 0) await setTimeout(10)
  })

  await t.test('include the lag of the event loop', async () => {
    const lag = await sample('agentgateway_event_loop_lag_seconds')
    assert.ok(lag >= 0 && lag < 10, String(lag))
  })

  await t.test('include collections of garbage', async () => {
    const collections = async () =>
      [...(await text()).matchAll(/^agentgateway_gc_duration_seconds_count\{kind="\w+"\} (\d+)$/gm)].length
    while ((await collections()) === 0) await setTimeout(10)
  })

  await t.test('are in the format that the client asks for', async () => {
    const scrape = (method: string, accept: string) =>
      sendRequest(daemon.url('stats'), '/metrics', { method, headers: { accept } })
    const protobuf = await scrape(
      'GET',
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited',
    )
    assert.equal(
      protobuf.headers['content-type'],
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    )
    assert.match(protobuf.text, /agentgateway_requests_total/)
    assert.doesNotMatch(protobuf.text, /# TYPE/)
    const prometheus = await scrape('GET', 'text/plain;version=0.0.4')
    assert.match(prometheus.text, /^# TYPE agentgateway_requests_total counter$/m)
    assert.doesNotMatch(prometheus.text, /# EOF|# UNIT/)
    const refused = await scrape('GET', 'image/png')
    assert.equal(refused.headers['content-type'], 'text/plain;charset=utf-8')
    assert.match(refused.text, /# EOF\n$/)
    const head = await scrape('HEAD', 'application/openmetrics-text')
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    assert.equal(head.headers.vary, 'accept')
  })

  await t.test('are complete for each of 200 callers at once', async () => {
    const scrapes = await Promise.all(
      Array.from({ length: 200 }, () => sendRequest(daemon.url('stats'), '/metrics')),
    )
    for (const scrape of scrapes) assert.match(scrape.text, /# EOF\n$/)
  })
})
