import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { keepaliveTimers, knowsTimers } from '../support/tcp-timers.ts'
import { httpServer, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

const MINUTE_MS = 60_000

suite('keepalive probes on connections to upstreams', { skip: !knowsTimers && 'needs /proc/net/tcp' }, () => {
  const wanted: Readonly<Record<string, readonly [policies: string, atMostMs: number | undefined]>> = {
    'are sent as configured for the process': ['{}', 50 * MINUTE_MS],
    'are sent as configured for a backend': [
      '{ tcp: { keepalives: { time: 20m, interval: 1m, retries: 3 } } }',
      20 * MINUTE_MS,
    ],
    'are not sent if disabled': ['{ tcp: { keepalives: { enabled: false } } }', undefined],
  }
  for (const [what, [policies, atMostMs]] of Object.entries(wanted))
    test(what, async () => {
      await using upstream = await httpServer((_, res) => res.end('ok'))
      await using daemon =
        await startDaemon(`${anyPorts}  backend: { keepalives: { time: 50m, interval: 2m, retries: 5 } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ backends: [{ host: "127.0.0.1:${upstream.port}", policies: ${policies} }] }]
`)
      assert.equal((await sendRequest(daemon.url('default'), '/')).status, 200)
      const timers = keepaliveTimers(upstream.port)
      assert.equal(timers.length, 1)
      const [timer] = timers
      if (atMostMs === undefined) assert.equal(timer, undefined)
      else assert.ok(timer !== undefined && timer <= atMostMs && timer > atMostMs - MINUTE_MS, String(timer))
    })

  test('are sent on raw connections too', async () => {
    await using upstream = await rawServer((socket) => void socket.resume())
    await using daemon = await startDaemon(`${anyPorts}  backend: { keepalives: { time: 50m } }
binds:
  - port: 0
    address: 127.0.0.1
    listeners: [{ name: raw, protocol: TCP, tcpRoutes: [{ backends: [{ host: "127.0.0.1:${upstream.port}" }] }] }]
`)
    await daemon.printed(/listens on/)
    const [, address = ''] = await daemon.printed(/listens on \S*?127\.0\.0\.1:(\d+)/)
    const client = connect(Number(address), '127.0.0.1')
    while (upstream.sockets.size === 0) await new Promise(setImmediate)
    // The upstream may accept a connection before the gateway has set its options.
    let timer: number | undefined
    const began = performance.now()
    do {
      await new Promise(setImmediate)
      ;[timer] = keepaliveTimers(upstream.port)
    } while (!(timer !== undefined && timer <= 50 * MINUTE_MS) && performance.now() - began < 60_000)
    assert.ok(timer !== undefined && timer > 49 * MINUTE_MS && timer <= 50 * MINUTE_MS, String(timer))
    client.destroy()
    await once(client, 'close')
  })
})

suite('the connection pool of an upstream', () => {
  let upstream: UpstreamServer
  let daemon: Daemon
  let parked: ServerResponse[] = []
  let arrived: () => void = () => undefined

  before(async () => {
    upstream = await httpServer((_, res) => {
      parked.push(res)
      arrived()
    })
    daemon = await startDaemon(`${anyPorts}  backend: { poolMaxSize: 2, poolIdleTimeout: 100ms }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ backends: [{ host: "127.0.0.1:${upstream.port}" }] }]
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const metrics = async () => (await sendRequest(daemon.url('stats'), '/metrics')).text
  const untilParked = async (count: number): Promise<void> => {
    while (parked.length < count) await new Promise<void>((resolve) => (arrived = resolve))
  }

  test('has at most poolMaxSize connections, and queues further requests', async () => {
    const answers = Promise.all(Array.from({ length: 7 }, () => sendRequest(daemon.url('default'), '/')))
    // Before all are in flight, a connection may be idle and close.
    while (!(await metrics()).includes('agentgateway_exchanges_in_flight 7\n')) await setTimeout(10)
    for (let answered = 0; answered < 7; answered++) {
      await untilParked(Math.min(2, 7 - answered))
      assert.ok(upstream.sockets.size <= 2)
      parked.shift()?.end('ok')
    }
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      Array.from({ length: 7 }, () => 200),
    )
    assert.equal(upstream.opened(), 2)
  })

  test('closes connections that are idle for poolIdleTimeout', async () => {
    const closed = [...upstream.sockets].map((socket) => once(socket, 'close'))
    await Promise.all(closed)
    assert.equal(upstream.sockets.size, 0)
    const answer = sendRequest(daemon.url('default'), '/')
    await untilParked(1)
    parked.shift()?.end('ok')
    assert.equal((await answer).status, 200)
    parked = []
  })
})
