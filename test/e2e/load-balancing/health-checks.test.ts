import assert from 'node:assert/strict'
import { createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'

interface Checked {
  readonly path: string
  readonly host: string
}

interface Dumped {
  readonly health: readonly {
    readonly backend: string
    readonly endpoint: string
    readonly state: string
    readonly reason?: string
    readonly since: string
  }[]
}

const every = 'interval: 100ms, timeout: 60s, healthyThreshold: 2, unhealthyThreshold: 2'

const checkOf = (probe: string): string => `health: { active: { ${probe}, ${every} } }`

/** The status in a response of `grpc.health.v1.Health`, as a number. */
const grpcHealth = (state: () => number, asked: (service: string) => void) => ({
  path: '/grpc.health.v1.Health/Check',
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: (value: Buffer) => value,
  requestDeserialize: (value: Buffer) => {
    asked(value.subarray(2).toString())
    return value
  },
  responseSerialize: () => Buffer.from([0x08, state()]),
  responseDeserialize: (value: Buffer) => value,
})

suite('active health checks', () => {
  let daemon: Daemon
  let one: Upstream
  let two: Upstream
  let checks: Checked[] = []
  const checkSockets = new Set<Socket>()
  let isWell = true
  let body = 'ok'
  let raw: RawServer
  let rawPort = 0
  let connections = 0
  let grpc: GrpcServer
  let grpcPort = 0
  let serving = 1
  const services: string[] = []

  const configuration = (checked: boolean): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: http
    matches: [{ path: { pathPrefix: /http } }]
    backends:
      - { backend: one }
      - { host: ${two.host} }
  - name: tcp
    matches: [{ path: { pathPrefix: /tcp } }]
    backends:
      - { host: "127.0.0.1:${rawPort}"${checked ? `, policies: { ${checkOf('tcp: {}')} }` : ''} }
      - { host: ${two.host} }
  - name: grpc
    matches: [{ path: { pathPrefix: /grpc } }]
    backends:
      - { host: "127.0.0.1:${grpcPort}"${checked ? `, policies: { ${checkOf('grpc: { service: shop.Cart }')} }` : ''} }
      - { host: ${two.host} }
backends:
  - name: one
    host: ${one.host}
    ${checked ? `policies: { ${checkOf('http: { path: "/healthz?deep=1", host: shop.internal, expect: [204, 2xx] }')} }` : ''}
`

  before(async () => {
    one = await startUpstream((req, res) => {
      const { url = '', headers } = req
      if (url.startsWith('/healthz')) {
        checks.push({ path: url, host: headers.host ?? '' })
        checkSockets.add(req.socket)
        res.writeHead(isWell ? 204 : 500).end(isWell ? undefined : body)
      } else res.end('one')
    })
    two = await startUpstream((_, res) => res.end('two'))
    raw = createRawServer((socket) => {
      connections++
      socket.on('error', () => undefined).end()
    })
    // Nobody else gets it while nothing listens there.
    rawPort = await freePort()
    raw.listen(rawPort, '127.0.0.1')
    await once(raw, 'listening')
    grpc = new GrpcServer()
    const method = grpcHealth(
      () => serving,
      (service) => services.push(service),
    )
    grpc.addService(
      { Check: method },
      { Check: (_: unknown, told: (e: null, v: object) => void) => told(null, {}) },
    )
    grpcPort = await new Promise<number>((resolve, reject) => {
      grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error) reject(error)
        else resolve(port)
      })
    })
    daemon = await startDaemon(configuration(true))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    grpc.forceShutdown()
    raw.close()
    await Promise.all([one, two].map((upstream) => upstream[Symbol.asyncDispose]()))
  })
  beforeEach(() => {
    checks = []
  })

  const health = async () =>
    ((await (await fetch(`${daemon.url('admin')}/config_dump`)).json()) as Dumped).health
  const metrics = async () => (await fetch(`${daemon.url('stats')}/metrics`)).text()
  /** Polls until the value is defined; the time limit is that of the test. */
  const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      await pause(10)
    }
  }
  const stateOf = (endpoint: string, state: string) =>
    until(async () => (await health()).find((it) => it.endpoint === endpoint && it.state === state))
  const answers = async (path: string, count = 6) => {
    const all = new Set<string>()
    for (let i = 0; i < count; i++) all.add((await sendRequest(daemon.url('default'), path)).text)
    return [...all].sort()
  }

  test('over HTTP request the configured path and host', async () => {
    await until(() => checks[2])
    assert.deepEqual(checks[0], { path: '/healthz?deep=1', host: 'shop.internal' })
    assert.deepEqual(await answers('/http'), ['one', 'two'])
  })

  test('evict an endpoint with reason and time, and bring it back', async () => {
    const { since } = await stateOf(one.host, 'healthy')
    isWell = false
    const bad = await stateOf(one.host, 'unhealthy')
    assert.deepEqual([bad.backend, bad.reason], ['/one', 'check: status 500'])
    assert.ok(Date.parse(bad.since) > Date.parse(since))
    assert.deepEqual(await answers('/http'), ['two'])
    const line = await daemon.printed(/.*an endpoint is left out.*\n/)
    for (const fact of ['warn', one.host, '/one', 'unhealthy', 'check: status 500'])
      assert.ok(line[0].includes(fact), `${fact} in ${line[0]}`)
    const text = await metrics()
    assert.ok(
      text.includes(`agentgateway_upstream_endpoint_healthy{backend="/one",endpoint="${one.host}"} 0`),
    )
    assert.ok(text.includes('agentgateway_upstream_ejections_total{backend="/one",cause="checks"} 1'))

    isWell = true
    const good = await stateOf(one.host, 'healthy')
    assert.equal(good.reason, 'check: status 500')
    assert.ok(Date.parse(good.since) > Date.parse(bad.since))
    assert.deepEqual(await answers('/http'), ['one', 'two'])
    await daemon.printed(/an endpoint is used again/)
    const after = await metrics()
    assert.ok(
      after.includes(`agentgateway_upstream_endpoint_healthy{backend="/one",endpoint="${one.host}"} 1`),
    )
  })

  test('accept long responses', async () => {
    body = 'x'.repeat(1_000_000)
    isWell = false
    assert.equal((await stateOf(one.host, 'unhealthy')).reason, 'check: status 500')
    isWell = true
    body = 'ok'
    await stateOf(one.host, 'healthy')
  })

  test('over gRPC name the service, and use its status', async () => {
    const endpoint = `127.0.0.1:${grpcPort}`
    await until(() => services[0])
    assert.equal(services[0], 'shop.Cart')
    serving = 2
    assert.equal((await stateOf(endpoint, 'unhealthy')).reason, 'check: NOT_SERVING')
    assert.deepEqual(await answers('/grpc'), ['two'])
    serving = 1
    await stateOf(endpoint, 'healthy')
  })

  test('over TCP connect', async () => {
    const endpoint = `127.0.0.1:${rawPort}`
    await until(() => connections > 1 || undefined)
    await new Promise((resolve) => raw.close(resolve))
    assert.equal((await stateOf(endpoint, 'unhealthy')).reason, 'check: connection refused')
    assert.deepEqual(await answers('/tcp'), ['two'])
    raw.listen(rawPort, '127.0.0.1')
    await stateOf(endpoint, 'healthy')
  })

  test('keep their state over a reload, and end with the configuration that has them', async () => {
    isWell = false
    const { since } = await stateOf(one.host, 'unhealthy')
    const inForce = () => daemon.output().match(/configuration in force/g)?.length ?? 0
    const reload = async (next: string) => {
      const before = inForce()
      daemon.rewrite(next)
      await until(() => inForce() > before || undefined)
    }
    await reload(`${configuration(true)}\n# the same\nrouteGroups: [{ name: g, routes: [] }]\n`)
    assert.equal((await stateOf(one.host, 'unhealthy')).since, since)

    await reload(configuration(false))
    assert.deepEqual(await health(), [])
    assert.deepEqual(await answers('/http'), ['one', 'two'])
    // Checks of the old configuration end with its last exchange, and so do their connections.
    await until(() => [...checkSockets].every((socket) => socket.destroyed) || undefined)
    assert.ok(!(await metrics()).includes('agentgateway_upstream_endpoint_healthy{'))
  })
})
