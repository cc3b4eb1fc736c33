import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { anyPorts, type Daemon, daemonProgram, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { until } from '../support/stream-body.ts'
import { freeUdpPort, UdpClientSocket, udpServer } from '../support/udp.ts'
import { rawServer } from '../support/upstream-servers.ts'

const portOf = (daemon: Daemon, name: string, scheme = 'udp'): number => {
  const found = new RegExp(`\\b${name} listens on ${scheme}://\\S+:(\\d+)`).exec(daemon.output())?.[1]
  if (found === undefined) throw new Error(`${name} does not listen:\n${daemon.output()}`)
  return Number(found)
}

const metricsOf = async (daemon: Daemon) => (await fetch(`${daemon.url('stats')}/metrics`)).text()

const dropped = async (daemon: Daemon, reason: string): Promise<number> => {
  const pattern = new RegExp(
    `^agentgateway_udp_datagrams_dropped_total\\{.*reason="${reason}"\\} (\\d+)$`,
    'm',
  )
  return Number(pattern.exec(await metricsOf(daemon))?.[1] ?? 0)
}

/** Waits for a count that the metrics show. */
const droppedAtLeast = async (daemon: Daemon, reason: string, count: number): Promise<void> => {
  while ((await dropped(daemon, reason)) < count) await new Promise((resolve) => setImmediate(resolve))
}

const onePort = (backends: string, more = '') => `${anyPorts}${more}
gateways:
  dns: { port: 0, address: 127.0.0.1, protocol: UDP }
udpRoutes:
  - { name: echo, gateways: dns, backends: [${backends}] }
`

const hostOf = ({ port }: { readonly port: number }) => `{ host: "127.0.0.1:${port}" }`

suite('datagrams', () => {
  test('go to the upstream and back, and are logged and counted as a session', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      `${onePort(hostOf(upstream))}frontendPolicies: { udp: { idleTimeout: 3s } }\n`,
    )
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    assert.equal(String(await client.ask('hello')), 'hello')
    assert.equal(String(await client.ask('again')), 'again')
    assert.equal(new Set(upstream.received.map(({ from }) => from.port)).size, 1)
    const [line] = await daemon.printed(/.*\trequest .*/)
    assert.match(
      line,
      new RegExp(
        `\\tinfo\\trequest gateway=default/dns listener=\\S+ route=default/echo endpoint=127.0.0.1:${upstream.port} ` +
          `src.addr=127.0.0.1:${client.localPort} protocol=udp reason=Upstream duration=\\d+ms durationMs=[\\d.]+$`,
      ),
    )
    const metrics = await metricsOf(daemon)
    assert.match(
      metrics,
      /^agentgateway_requests_total\{.*protocol="udp".*reason="Upstream".*route="default\/echo".*\} 1$/m,
    )
    assert.match(metrics, /^agentgateway_response_bytes_total\{.*route="default\/echo".*\} 10$/m)
    assert.match(
      metrics,
      /^agentgateway_downstream_connections_total\{bind="bind\/udp\/127.0.0.1:0\/dns".*protocol="udp"\} 1$/m,
    )
    assert.match(metrics, /^agentgateway_downstream_received_bytes_total\{.*protocol="udp"\} 10$/m)
    // The next datagram begins a new session.
    assert.equal(String(await client.ask('new')), 'new')
    assert.equal(new Set(upstream.received.map(({ from }) => from.port)).size, 2)
  })

  test('may be empty, or as large as they get', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(onePort(hostOf(upstream)))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    assert.equal((await client.ask('')).length, 0)
    const largest = Buffer.alloc(65_507, 'x')
    assert.ok((await client.ask(largest)).equals(largest))
    assert.deepEqual(
      upstream.received.map(({ datagram }) => datagram.length),
      [0, 65_507],
    )
  })

  test('of each client come back to it, from its own upstream socket', async () => {
    await using upstream = await udpServer()
    // At every address of both families, where IPv4 clients have addresses of IPv6.
    await using daemon = await startDaemon(
      `${onePort(hostOf(upstream)).replace(', address: 127.0.0.1', '')}frontendPolicies:
  networkAuthorization: { rules: [{ allow: 'source.address == "127.0.0.1" && destination.port > 0' }] }
`,
    )
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => UdpClientSocket.to(portOf(daemon, 'dns'))),
    )
    const answers = await Promise.all(clients.map((client, index) => client.ask(`client ${index}`)))
    assert.deepEqual(
      answers.map(String),
      clients.map((_, index) => `client ${index}`),
    )
    assert.equal(new Set(upstream.received.map(({ from }) => from.port)).size, 20)
    for (const client of clients) client[Symbol.dispose]()
  })

  test('of others than the upstream do not reach the client', async () => {
    await using other = await udpServer()
    await using upstream = await udpServer((datagram, from, socket) => {
      // Somebody else sends to the gateway's port first.
      other.socket.send('forged', from.port, from.address, () =>
        socket.send(datagram, from.port, from.address),
      )
    })
    await using daemon = await startDaemon(onePort(hostOf(upstream)))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    assert.equal(String(await client.ask('one')), 'one')
    assert.equal(String(await client.ask('two')), 'two')
    assert.deepEqual(client.received, [])
  })

  test('are shared by weight, one upstream for a session', async () => {
    await using heavy = await udpServer((_, from, socket) => socket.send('heavy', from.port, from.address))
    await using light = await udpServer((_, from, socket) => socket.send('light', from.port, from.address))
    await using none = await udpServer()
    await using daemon = await startDaemon(
      onePort(
        `{ host: "127.0.0.1:${heavy.port}", weight: 3 }, { host: "127.0.0.1:${light.port}" }, { host: "127.0.0.1:${none.port}", weight: 0 }`,
      ),
    )
    const counts: Record<string, number> = {}
    for (let i = 0; i < 16; i++) {
      using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
      const first = String(await client.ask('?'))
      assert.equal(String(await client.ask('?')), first)
      counts[first] = (counts[first] ?? 0) + 1
    }
    assert.deepEqual(counts, { heavy: 12, light: 4 })
    assert.equal(none.received.length, 0)
  })

  test('go to services, by their UDP ports', async () => {
    await using one = await udpServer((_, from, socket) => socket.send('one', from.port, from.address))
    await using two = await udpServer((_, from, socket) => socket.send('two', from.port, from.address))
    await using tcp = await rawServer((socket) => socket.end('tcp'))
    await using daemon = await startDaemon(`${anyPorts}
gateways:
  dns: { port: 0, address: 127.0.0.1, listeners: [{ name: udp, protocol: UDP }, { name: tcp, protocol: TCP }] }
services:
  - { name: dns, namespace: shop, hostname: dns.svc, ports: { "53": 53, "53/udp": 53 } }
workloads:
  - { uid: w1, workloadIps: [127.0.0.1], services: { shop/dns.svc: { "53": ${tcp.port}, "53/udp": ${one.port} } } }
  - { uid: w2, workloadIps: [127.0.0.1], services: { shop/dns.svc: { "53": ${tcp.port}, "53/udp": ${two.port} } } }
udpRoutes: [{ gateways: dns, backends: [{ service: { name: shop/dns.svc, port: 53 } }] }]
tcpRoutes: [{ gateways: dns, backends: [{ service: { name: shop/dns.svc, port: 53 } }] }]
`)
    const heard = new Set<string>()
    while (heard.size < 2) {
      using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
      heard.add(String(await client.ask('?')))
    }
    assert.deepEqual([...heard].sort(), ['one', 'two'])
    using client = await RawClient.to(portOf(daemon, 'dns', 'http'))
    assert.equal(await client.end(), 'tcp')
  })

  test('end the session if nobody listens at the upstream', async () => {
    const port = await freeUdpPort()
    await using daemon = await startDaemon(onePort(hostOf({ port })))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    client.send('hello')
    const [line] = await daemon.printed(/.*\trequest .*/)
    assert.match(
      line,
      /protocol=udp error="upstream call failed: connection refused" reason=UpstreamFailure code=upstream_connect/,
    )
    // It is there again: the client has a new session.
    await using again = await udpServer(undefined, port)
    assert.equal(String(await client.ask('back')), 'back')
    assert.equal(again.received.length, 1)
  })

  test('end the session if the upstream stops in the middle', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(onePort(hostOf(upstream)))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    await client.ask('hello')
    await upstream.close()
    client.send('lost')
    await daemon.printed(
      /protocol=udp error="upstream call failed: connection refused" reason=UpstreamFailure/,
    )
  })

  test('without a backend are dropped, counted and logged once', async () => {
    await using daemon = await startDaemon(`${anyPorts}
gateways:
  none: { port: 0, address: 127.0.0.1, protocol: UDP }
  broken: { port: 0, address: 127.0.0.1, protocol: UDP }
udpRoutes:
  - { name: broken, gateways: broken, backends: [{ invalid: null }] }
`)
    using lost = await UdpClientSocket.to(portOf(daemon, 'none'))
    using broken = await UdpClientSocket.to(portOf(daemon, 'broken'))
    for (let i = 0; i < 5; i++) {
      lost.send('?')
      broken.send('?')
    }
    await droppedAtLeast(daemon, 'route_not_found', 5)
    await droppedAtLeast(daemon, 'no_backend', 5)
    await daemon.printed(/datagrams are dropped [^\n]*reason=no_backend/)
    await daemon.printed(/datagrams are dropped [^\n]*reason=route_not_found/)
    const lines = daemon
      .output()
      .split('\n')
      .filter((line) => line.includes('datagrams are dropped'))
    assert.deepEqual(lines.map((line) => /bind=\S+ reason=(\S+) count=(\d+)/.exec(line)?.slice(1)).sort(), [
      ['no_backend', '1'],
      ['route_not_found', '1'],
    ])
    assert.doesNotMatch(daemon.output(), /\trequest /)
  })

  test('of clients that networkAuthorization refuses are dropped', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      `${onePort(hostOf(upstream))}frontendPolicies:
  networkAuthorization: { rules: [{ deny: 'source.port % 2 == 0' }, { allow: 'true' }] }
`,
    )
    const port = portOf(daemon, 'dns')
    const clients = await Promise.all(Array.from({ length: 16 }, () => UdpClientSocket.to(port)))
    const even = clients.filter(({ localPort }) => localPort % 2 === 0)
    for (const client of clients) client.send('?')
    await Promise.all(clients.filter((client) => !even.includes(client)).map((client) => client.next()))
    await droppedAtLeast(daemon, 'authorization', even.length)
    assert.deepEqual(
      even.flatMap(({ received }) => received),
      [],
    )
    for (const client of clients) client[Symbol.dispose]()
  })
})

suite('sessions', () => {
  test('are limited: further clients are dropped, counted and logged, those there go on', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      `${onePort(hostOf(upstream))}frontendPolicies: { udp: { maxSessions: 3, idleTimeout: 5s } }\n`,
    )
    const port = portOf(daemon, 'dns')
    const first = await Promise.all(Array.from({ length: 3 }, () => UdpClientSocket.to(port)))
    for (const client of first) await client.ask('hello')
    const flood = await Promise.all(Array.from({ length: 200 }, () => UdpClientSocket.to(port)))
    for (const client of flood) client.send('flood')
    await droppedAtLeast(daemon, 'max_sessions', 200)
    assert.equal(String(await first[0]?.ask('still')), 'still')
    assert.equal(
      upstream.received.some(({ datagram }) => String(datagram) === 'flood'),
      false,
    )
    await daemon.printed(/\twarn\t.*datagrams are dropped bind=\S+ reason=max_sessions count=1 maxSessions=3/)
    assert.equal(daemon.output().match(/reason=max_sessions/g)?.length, 1)
    // There is room again once they are idle.
    await daemon.printed(/(?:\trequest [^]*){3}/)
    assert.equal(String(await flood[0]?.ask('now')), 'now')
    for (const client of [...first, ...flood]) client[Symbol.dispose]()
  })

  test('take half of the open files at most, so that connections are accepted in a flood', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      `${anyPorts}
gateways:
  dns: { port: 0, address: 127.0.0.1, protocol: UDP }
  web: { port: 0, address: 127.0.0.1 }
udpRoutes: [{ gateways: dns, backends: [${hostOf(upstream)}] }]
routes: [{ gateways: web, policies: { directResponse: { status: 204 } } }]
`,
      {
        program: ['/bin/sh', '-c', 'ulimit -n 300 && exec "$0" "$@"', process.execPath, daemonProgram],
      },
    )
    const port = portOf(daemon, 'dns')
    const flood = await Promise.all(Array.from({ length: 250 }, () => UdpClientSocket.to(port)))
    for (const client of flood) client.send('flood')
    await droppedAtLeast(daemon, 'open_files', 100)
    await daemon.printed(/datagrams are dropped bind=\S+ reason=open_files count=1 sessions=150/)
    assert.equal((await fetch(daemon.url('web'))).status, 204)
    assert.doesNotMatch(daemon.output(), /UpstreamFailure/)
    for (const client of flood) client[Symbol.dispose]()
  })

  test('may have a longer idle timeout than a timer can have', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      `${onePort(hostOf(upstream))}frontendPolicies: { udp: { idleTimeout: 99999h } }\n`,
    )
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    for (let i = 0; i < 20; i++) assert.equal(String(await client.ask('?')), '?')
    await daemon.stop()
    assert.doesNotMatch(daemon.output(), /TimeoutOverflowWarning/)
    assert.equal(upstream.received.length, 20)
  })

  test('go on after a reload that keeps their route, and end with their route or backend', async () => {
    await using upstream = await udpServer()
    await using other = await udpServer((_, from, socket) => socket.send('other', from.port, from.address))
    const config = (routes: string) => `${anyPorts}
gateways:
  a: { port: 0, address: 127.0.0.1, protocol: UDP }
  b: { port: 0, address: 127.0.0.1, protocol: UDP }
udpRoutes:
  - { name: kept, gateways: a, backends: [${hostOf(upstream)}] }
${routes}`
    await using daemon = await startDaemon(
      config(`  - { name: b, gateways: b, backends: [${hostOf(upstream)}] }\n`),
    )
    using kept = await UdpClientSocket.to(portOf(daemon, 'a'))
    using moved = await UdpClientSocket.to(portOf(daemon, 'b'))
    await kept.ask('1')
    await moved.ask('1')
    daemon.rewrite(config(`  - { name: b, gateways: b, backends: [${hostOf(other)}] }\n`))
    const [line] = await daemon.printed(/.*\trequest .*/)
    assert.match(line, /route=default\/b .*error="its route or endpoint is gone" reason=Upstream/)
    assert.equal(String(await moved.ask('2')), 'other')
    assert.equal(String(await kept.ask('2')), '2')
    assert.equal(
      new Set(upstream.received.filter(({ datagram }) => datagram.length).map(({ from }) => from.port)).size,
      2,
    )
    daemon.rewrite(config(''))
    await daemon.printed(
      /route=default\/b [^\n]*\n[^]*route=default\/b .*error="its route or endpoint is gone"/,
    )
    assert.equal(String(await kept.ask('3')), '3')
    const ports = upstream.received.map(({ from }) => from.port)
    assert.equal(ports[0], ports.at(-1))
  })

  test('end when their service no longer has the endpoint, and not when it gets another one', async () => {
    await using one = await udpServer((_, from, socket) => socket.send('one', from.port, from.address))
    await using two = await udpServer((_, from, socket) => socket.send('two', from.port, from.address))
    const workload = (uid: string, { port }: { readonly port: number }, more = '') =>
      `  - { uid: ${uid}, workloadIps: [127.0.0.1], services: { shop/dns.svc: { "53/udp": ${port} } }${more} }\n`
    const config = (...workloads: readonly string[]) => `${anyPorts}
gateways: { dns: { port: 0, address: 127.0.0.1, protocol: UDP } }
services: [{ name: dns, namespace: shop, hostname: dns.svc, ports: { "53/udp": 53 } }]
udpRoutes: [{ name: dns, gateways: dns, backends: [{ service: { name: shop/dns.svc, port: 53 } }] }]
workloads:
${workloads.join('')}`
    const inForce = (daemon: Daemon, count: number) =>
      daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))
    await using daemon = await startDaemon(config(workload('w1', one)))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    assert.equal(String(await client.ask('?')), 'one')
    daemon.rewrite(config(workload('w1', one), workload('w2', two)))
    await inForce(daemon, 2)
    for (let i = 0; i < 5; i++) assert.equal(String(await client.ask('?')), 'one')
    assert.equal(new Set(one.received.map(({ from }) => from.port)).size, 1)
    // It serves those that it has until it is gone; new ones go elsewhere.
    daemon.rewrite(config(workload('w1', one, ', terminating: true'), workload('w2', two)))
    await inForce(daemon, 3)
    assert.equal(String(await client.ask('?')), 'one')
    using late = await UdpClientSocket.to(portOf(daemon, 'dns'))
    assert.equal(String(await late.ask('?')), 'two')
    daemon.rewrite(config(workload('w2', two)))
    await daemon.printed(new RegExp(`endpoint=127.0.0.1:${one.port} .*error="its route or endpoint is gone"`))
    assert.equal(String(await client.ask('?')), 'two')
  })

  test('end when networkAuthorization no longer admits their clients', async () => {
    await using upstream = await udpServer()
    const config = (rule: string) =>
      `${onePort(hostOf(upstream))}frontendPolicies: { networkAuthorization: { rules: [${rule}] } }\n`
    await using daemon = await startDaemon(config(`{ allow: 'true' }`))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    await client.ask('hello')
    daemon.rewrite(config(`{ allow: 'source.port != ${client.localPort}' }`))
    await daemon.printed(/error="the client is no longer authorized" reason=Upstream/)
    client.send('again')
    await droppedAtLeast(daemon, 'authorization', 1)
    assert.equal(upstream.received.length, 1)
  })

  test('that lead back to the gateway end after five passes', async () => {
    const [one, two] = [await freeUdpPort(), await freeUdpPort()]
    await using daemon = await startDaemon(`${anyPorts}
gateways:
  one: { port: ${one}, protocol: UDP }
  two: { port: ${two}, address: 127.0.0.1, protocol: UDP }
udpRoutes:
  - { name: one, gateways: one, backends: [{ host: "127.0.0.1:${two}" }] }
  - { name: two, gateways: two, backends: [{ host: "127.0.0.1:${one}" }] }
`)
    using client = await UdpClientSocket.to(one)
    client.send('round')
    await droppedAtLeast(daemon, 'loop', 1)
    await daemon.printed(/datagrams are dropped bind=\S+ reason=loop count=1 maxHops=5/)
    const sessions = [
      ...(await metricsOf(daemon)).matchAll(
        /^agentgateway_downstream_connections_total\{.*protocol="udp"\} (\d+)$/gm,
      ),
    ]
    assert.equal(
      sessions.reduce((sum, [, count]) => sum + Number(count), 0),
      5,
    )
  })

  test('do not begin with datagrams that claim to be replies of the gateway', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(onePort(hostOf(upstream)))
    const port = portOf(daemon, 'dns')
    // Replies to such a client would come to the gateway, be forwarded, and so on.
    using forged = await UdpClientSocket.to(port, { address: '127.0.0.2', port })
    forged.send('endless')
    await droppedAtLeast(daemon, 'loop', 1)
    assert.equal(upstream.received.length, 0)
  })

  test('end with their port, and when the gateway ends', async () => {
    await using upstream = await udpServer()
    const port = (name: string) => `  ${name}: { port: 0, address: 127.0.0.1, protocol: UDP }\n`
    const route = `udpRoutes: [{ name: all, gateways: [NAMES], backends: [${hostOf(upstream)}] }]\n`
    await using daemon = await startDaemon(
      `${anyPorts}  connectionTerminationDeadline: 4s\ngateways:\n${port('a')}${port('b')}${route.replace('NAMES', 'a, b')}`,
    )
    using a = await UdpClientSocket.to(portOf(daemon, 'a'))
    using b = await UdpClientSocket.to(portOf(daemon, 'b'))
    await a.ask('1')
    await b.ask('1')
    daemon.rewrite(
      `${anyPorts}  connectionTerminationDeadline: 4s\ngateways:\n${port('a')}${route.replace('NAMES', 'a')}`,
    )
    await daemon.printed(/gateway=default\/b .*error="its port is gone" reason=Upstream/)
    const exit = once(daemon.child, 'exit')
    daemon.child.kill('SIGTERM')
    await daemon.printed(/draining/)
    // It works until the deadline.
    assert.equal(String(await a.ask('2')), '2')
    assert.deepEqual(await exit, [0, null])
    await daemon.printed(/gateway=default\/a .*error="the gateway ended" reason=Upstream/)
  })

  test('are among the tasks that the admin server lists', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(onePort(hostOf(upstream)))
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    await client.ask('hello')
    const tasks = await (await fetch(`${daemon.url('admin')}/debug/tasks`)).text()
    assert.match(tasks, /"task": ?"UDP session"/)
    assert.match(tasks, new RegExp(`"name": ?"127.0.0.1:${upstream.port}"`))
    const dump = (await (await fetch(`${daemon.url('admin')}/config_dump`)).json()) as {
      binds: {
        key: string
        protocol: string
        listeners: Record<string, { protocol: string; udpRoutes: object }>
      }[]
    }
    const [bind] = dump.binds
    assert.equal(bind?.protocol, 'udp')
    assert.equal(bind.key, 'bind/udp/127.0.0.1:0/dns')
    const [listener] = Object.values(bind.listeners)
    assert.equal(listener?.protocol, 'UDP')
    assert.equal(Object.keys(listener.udpRoutes).length, 1)
  })

  test('to a name wait for its addresses', async () => {
    await using upstream = await udpServer()
    await using daemon = await startDaemon(
      onePort(`{ host: "localhost:${upstream.port}" }`, '  dns: { lookupFamily: V4Only }\n'),
    )
    using client = await UdpClientSocket.to(portOf(daemon, 'dns'))
    client.send('1')
    client.send('2')
    assert.deepEqual([String(await client.next()), String(await client.next())], ['1', '2'])
    await until(() => upstream.received.length === 2, 'both datagrams')
  })
})
