import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { until } from '../support/stream-body.ts'
import { listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

const configuration = (echo: UpstreamServer, tls: UpstreamServer, more = '') => `${anyPorts}${more}
gateways:
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
  passed:
    port: 0
    address: 127.0.0.1
    listeners: [{ name: secret, protocol: TLS, hostname: "*.example" }]
  lost: { port: 0, address: 127.0.0.1, protocol: TCP }
tcpRoutes:
  - name: echo
    gateways: raw
    backends: [{ host: "127.0.0.1:${echo.port}" }]
  - name: secret
    gateways: passed
    hostnames: [a.example]
    backends: [{ host: "127.0.0.1:${tls.port}" }]
  - name: nowhere
    gateways: lost
    backends: [{ host: "127.0.0.1:1" }]
`

const portOf = (daemon: Daemon, name: string): number => {
  const found = new RegExp(`\\b${name} listens on \\S+:(\\d+)`).exec(daemon.output())?.[1]
  if (found === undefined) throw new Error(`${name} does not listen:\n${daemon.output()}`)
  return Number(found)
}

const metricsOf = async (daemon: Daemon) => (await fetch(`${daemon.url('stats')}/metrics`)).text()

suite('raw TCP connections', () => {
  const authority = makeAuthority()
  let echo: UpstreamServer
  let tls: UpstreamServer
  before(async () => {
    echo = await rawServer((socket) => socket.pipe(socket))
    tls = await listening(createTlsServer(authority.issue('a.example'), (socket) => socket.end('secret')))
  })
  after(async () => {
    await echo[Symbol.asyncDispose]()
    await tls[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  test('that come back to the gateway end after five passes', async () => {
    const [one, two] = [await freePort(), await freePort()]
    const gateway = (port: number) => `{ port: ${port}, address: 127.0.0.1, protocol: TCP }`
    await using daemon = await startDaemon(`${anyPorts}
gateways: { one: ${gateway(one)}, two: ${gateway(two)} }
tcpRoutes:
  - { name: there, gateways: one, backends: [{ host: "127.0.0.1:${two}" }] }
  - { name: back, gateways: two, backends: [{ host: "127.0.0.1:${one}" }] }
`)
    using client = await RawClient.to(one)
    client.send('hello')
    assert.equal(await client.end(), '')
    await daemon.printed(/request_loop/)
    await daemon.stop()
    const passes = daemon.output().match(/route=\S*(there|back)/g)?.length ?? 0
    // Passes that follow the fifth may have begun when it is refused.
    assert.ok(passes >= 6 && passes < 50, daemon.output())
  })

  test('are logged, and counted in the metrics', async () => {
    await using daemon = await startDaemon(configuration(echo, tls))
    using client = await RawClient.to(portOf(daemon, 'raw'))
    const { localPort } = client.socket
    client.send('hello')
    client.socket.end()
    assert.equal(await client.end(), 'hello')
    const [line] = await daemon.printed(/.*\trequest .*route=default\/echo.*/)
    assert.match(
      line,
      new RegExp(
        `\\tinfo\\trequest gateway=default/raw listener=\\S+ route=default/echo endpoint=127.0.0.1:${echo.port} ` +
          `src.addr=127.0.0.1:${localPort} protocol=tcp reason=Upstream duration=\\d+ms durationMs=[\\d.]+$`,
      ),
    )

    const port = portOf(daemon, 'passed')
    const passed = connectTls({ port, host: '127.0.0.1', servername: 'a.example', ca: authority.cert })
    assert.equal(await text(passed), 'secret')
    passed.destroy()
    const [secret] = await daemon.printed(/.*\trequest .*route=default\/secret.*/)
    assert.match(secret, new RegExp(`listener=secret route=default/secret endpoint=127.0.0.1:${tls.port} `))
    assert.match(secret, / tls\.sni=a\.example protocol=tcp reason=Upstream /)

    const unknown = connectTls({ port, host: '127.0.0.1', servername: 'b.example', ca: authority.cert })
    unknown.on('error', () => undefined)
    await new Promise((resolve) => unknown.once('close', resolve))
    const [refused] = await daemon.printed(/.*\trequest .*route_not_found.*/)
    assert.match(refused, / tls\.sni=b\.example protocol=tcp error="route not found" reason=NotFound /)

    using lost = await RawClient.to(portOf(daemon, 'lost'))
    await lost.end()
    const [failed] = await daemon.printed(/.*\trequest .*route=default\/nowhere.*/)
    assert.match(failed, / endpoint=127\.0\.0\.1:1 .* reason=UpstreamFailure code=upstream_connect /)

    const metrics = await metricsOf(daemon)
    const counted = metrics
      .split('\n')
      .filter((one) => one.startsWith('agentgateway_requests_total'))
      .map((one) =>
        /backend="([^"]*)",protocol="([^"]*)",method="([^"]*)",status="([^"]*)",reason="([^"]*)".*gateway="([^"]*)".*route="([^"]*)".* (\d+)$/
          .exec(one)
          ?.slice(1)
          .join(' '),
      )
    assert.deepEqual(counted.map((one) => one?.replace(/^\S+backend0 /, 'backend0 ')).sort(), [
      'backend0 tcp unknown unknown Upstream default/passed default/secret 1',
      'backend0 tcp unknown unknown Upstream default/raw default/echo 1',
      'backend0 tcp unknown unknown UpstreamFailure default/lost default/nowhere 1',
      'unknown tcp unknown unknown NotFound default/passed unknown 1',
    ])
    assert.match(metrics, /^agentgateway_response_bytes_total\{.*route="default\/echo".*\} 5$/m)
    assert.match(
      metrics,
      /^agentgateway_downstream_connections_total\{.*gateway="default\/raw".*protocol="tcp"\} 1$/m,
    )
    assert.match(
      metrics,
      /^agentgateway_downstream_connections_total\{.*gateway="default\/passed".*protocol="tls"\} 2$/m,
    )
  })

  test('end at the shutdown deadline with a log line, without delaying the exit', async () => {
    await using daemon = await startDaemon(configuration(echo, tls, '  connectionTerminationDeadline: 4s\n'))
    const idle = connect(portOf(daemon, 'raw'), '127.0.0.1')
    idle.on('error', () => undefined)
    idle.write('hello')
    await once(idle, 'data')
    const exit = once(daemon.child, 'exit')
    const told = performance.now()
    daemon.child.kill('SIGTERM')
    await daemon.printed(/draining/)
    // It works until then.
    idle.write('still here')
    assert.equal(String(((await once(idle, 'data')) as [Buffer])[0]), 'still here')
    assert.deepEqual(await exit, [0, null])
    const took = performance.now() - told
    assert.ok(took >= 3_950 && took < 60_000, `${took} ms`)
    await daemon.printed(/route=default\/echo .*error="the gateway ended" reason=Upstream/)
    await until(() => echo.sockets.size === 0, 'the end of the connections upstream')
  })

  test('can go to services, and log why no endpoint is available', async () => {
    await using second = await rawServer((socket) => socket.end('second'))
    const workload = (uid: string, service: string, port: number, more = '') =>
      `  - { uid: ${uid}, workloadIps: [127.0.0.1], services: { shop/${service}: { "80": ${port} } }${more} }`
    const route = (name: string, backend: string) => `
  - { name: ${name}, gateways: ${name}, backends: [${backend}] }`
    const names = ['pair', 'half', 'sick', 'idle']
    await using daemon = await startDaemon(`${anyPorts}
gateways:
${names.map((name) => `  ${name}: { port: 0, address: 127.0.0.1, protocol: TCP }`).join('\n')}
services:
${['pair', 'half', 'sick'].map((name) => `  - { name: ${name}, namespace: shop, hostname: ${name}.svc, ports: { "80": 80 } }`).join('\n')}
workloads:
${workload('w1', 'pair.svc', echo.port)}
${workload('w2', 'pair.svc', second.port)}
${workload('w3', 'half.svc', 1)}
${workload('w4', 'half.svc', second.port)}
${workload('w5', 'sick.svc', echo.port, ', status: Unhealthy')}
tcpRoutes:${names
      .slice(0, 3)
      .map((name) => route(name, `{ service: { name: shop/${name}.svc, port: 80 } }`))
      .join('')}${route('idle', `{ host: "127.0.0.1:${echo.port}", weight: 0 }`)}
`)
    const say = async (name: string) => {
      using client = await RawClient.to(portOf(daemon, name))
      client.send('hello')
      client.socket.end()
      return await client.end()
    }
    const heard = await Promise.all(Array.from({ length: 30 }, () => say('pair')))
    assert.deepEqual([...new Set(heard)].sort(), ['hello', 'second'])
    await daemon.printed(new RegExp(`route=default/pair endpoint=127.0.0.1:${second.port} .*reason=Upstream`))
    for (let i = 0; i < 6; i++) assert.equal(await say('half'), 'second')
    assert.deepEqual([await say('sick'), await say('idle')], ['', ''])
    await daemon.printed(/route=default\/sick .*error="no healthy backends" reason=NoHealthyBackend/)
    await daemon.printed(/route=default\/idle .*error="no valid backends" reason=NoHealthyBackend/)
  })

  test('end after maxConnectionDuration', async () => {
    await using daemon = await startDaemon(
      `${configuration(echo, tls)}frontendPolicies: { http: { maxConnectionDuration: 4s } }\n`,
    )
    using client = await RawClient.to(portOf(daemon, 'raw'))
    client.send('hello')
    await client.until('hello')
    await client.end()
    await daemon.printed(/route=default\/echo .*error="open for too long" reason=Upstream/)
    await until(() => echo.sockets.size === 0, 'the end of the connections upstream')
  })

  test('are logged as the policy accessLog defines', async () => {
    await using daemon = await startDaemon(
      `${configuration(echo, tls)}frontendPolicies:
  accessLog:
    filter: backend.protocol == "tcp" && source.port > 0
    add: { to: "destination.port", path: request.path }
    remove: [endpoint]
`,
    )
    const port = portOf(daemon, 'raw')
    const socket: Socket = connect(port, '127.0.0.1')
    socket.end('hello')
    assert.equal(await text(socket), 'hello')
    const [line] = await daemon.printed(/.*\trequest .*/)
    assert.match(line, new RegExp(`route=default/echo src.addr=\\S+ protocol=tcp .* to=${port}$`))
  })
})
