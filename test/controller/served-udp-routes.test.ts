import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Daemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { RawClient } from '../support/raw-client.ts'
import { UdpClientSocket, type UdpServer, udpServer } from '../support/udp.ts'
import { rawServer } from '../support/upstream-servers.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { serveGateway } from './support/served-gateway.ts'

/*
 * UDPRoutes as they are written in a cluster, translated, and served by a gateway in its own process.
 */

type Ports = Readonly<Record<'dns' | 'weighted' | 'lost' | 'limited', number>>

const gateway = ({ dns, weighted, lost, limited }: Ports): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: edge }
spec:
  gatewayClassName: agentgateway
  listeners:
    - { name: datagrams, port: ${dns}, protocol: UDP, hostname: ignored.example }
    - { name: connections, port: ${dns}, protocol: TCP }
    - { name: weighted, port: ${weighted}, protocol: UDP }
    - { name: lost, port: ${lost}, protocol: UDP }
    - { name: limited, port: ${limited}, protocol: UDP }
`

const sessionPolicy = (name: string, target: object, udp: object): string => `
---
kind: ProxyPolicy
metadata: { namespace: shop, name: ${name} }
spec: ${JSON.stringify({
  targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', ...target }],
  frontend: { udp },
})}`

/** A Service with a port for each transport at one number, which lead to different ports of the endpoint. */
const service = (name: string, udp: number, tcp = 1): string => `
---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec:
  clusterIP: 10.96.0.1
  ports:
    - { name: dns, protocol: UDP, port: 53, targetPort: dns }
    - { name: dns-tcp, protocol: TCP, port: 53, targetPort: dns-tcp }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: dns, protocol: UDP, port: ${udp} }, { name: dns-tcp, port: ${tcp} }]
endpoints: [{ addresses: [10.244.0.5], conditions: { ready: true } }]`

const route = (
  kind: 'UDPRoute' | 'TCPRoute',
  name: string,
  section: string,
  to: Readonly<Record<string, number>>,
  createdAt = '2026-01-01T00:00:00Z',
): string => `
---
kind: ${kind}
metadata: { namespace: shop, name: ${name}, creationTimestamp: ${JSON.stringify(createdAt)} }
spec: ${JSON.stringify({
  parentRefs: [{ name: 'edge', sectionName: section }],
  rules: [{ backendRefs: Object.entries(to).map(([name, weight]) => ({ name, port: 53, weight })) }],
})}`

const answering = (text: string): Promise<UdpServer> =>
  udpServer((_, from, socket) => socket.send(text, from.port, from.address))

suite('translated routes of datagrams', () => {
  const stack = new AsyncDisposableStack()
  let ports: Ports
  let daemon: Daemon

  before(async () => {
    const one = stack.use(await answering('one'))
    const two = stack.use(await answering('two'))
    const tcp = stack.use(await rawServer((socket) => socket.end('tcp')))
    ports = {
      dns: await freePort(),
      weighted: await freePort(),
      lost: await freePort(),
      limited: await freePort(),
    }
    const objects = [
      gateway(ports),
      service('one', one.port, tcp.port),
      service('two', two.port),
      route('UDPRoute', 'a-younger', 'datagrams', { two: 1 }, '2026-01-02T00:00:00Z'),
      route('UDPRoute', 'b-older', 'datagrams', { one: 1 }),
      route('TCPRoute', 'connections', 'connections', { one: 1 }),
      route('UDPRoute', 'weighted', 'weighted', { one: 3, two: 1, none: 0 }),
      route('UDPRoute', 'lost', 'lost', { none: 1 }),
      route('UDPRoute', 'limited', 'limited', { one: 1 }),
      sessionPolicy('sessions', {}, { idleTimeout: '30s', maxSessions: 100 }),
      sessionPolicy('sessions-of-port', { port: ports.limited }, { maxSessions: 1 }),
    ]
    const graph = goldenGraph(readGoldenObjects(objects.join(''), (one) => one))
    daemon = stack.use(await serveGateway(graph, 'shop/edge', { address: '127.0.0.1' }))
  })
  after(() => stack.disposeAsync())

  test('share a port number with those of connections; the oldest route gets the datagrams', async () => {
    for (let i = 0; i < 5; i++) {
      using client = await UdpClientSocket.to(ports.dns)
      assert.equal(String(await client.ask('?')), 'one')
    }
    using client = await RawClient.to(ports.dns)
    assert.equal(await client.end(), 'tcp')
  })

  test('choose by weight for each session', async () => {
    const counts: Record<string, number> = {}
    for (let i = 0; i < 8; i++) {
      using client = await UdpClientSocket.to(ports.weighted)
      const response = String(await client.ask('?'))
      counts[response] = (counts[response] ?? 0) + 1
    }
    assert.deepEqual(counts, { one: 6, two: 2 })
  })

  test('drop the datagrams of a Service that is not there', async () => {
    using client = await UdpClientSocket.to(ports.lost)
    client.send('?')
    await daemon.printed(/datagrams are dropped bind=\S+ reason=no_backend count=1 route=shop\/lost/)
    assert.deepEqual(client.received, [])
  })

  test('have the limits of a ProxyPolicy, a port its own', async () => {
    using first = await UdpClientSocket.to(ports.limited)
    assert.equal(String(await first.ask('?')), 'one')
    using second = await UdpClientSocket.to(ports.limited)
    second.send('?')
    await daemon.printed(/datagrams are dropped .*reason=max_sessions count=1 maxSessions=1\b/)
    assert.equal(String(await first.ask('?')), 'one')
    assert.deepEqual(second.received, [])
  })
})
