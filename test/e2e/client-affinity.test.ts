import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { UdpClientSocket, type UdpServer, udpServer } from '../support/udp.ts'
import { listening, rawServer, type UpstreamServer } from '../support/upstream-servers.ts'

/*
 * A service with `sessionAffinity.clientIP` keeps each client at an endpoint, whatever the protocol of the route.
 */

const portOf = (daemon: Daemon, name: string): number => {
  const found = new RegExp(`\\b${name} listens on \\S+:(\\d+)`).exec(daemon.output())?.[1]
  if (found === undefined) throw new Error(`${name} does not listen:\n${daemon.output()}`)
  return Number(found)
}

/** Addresses of clients: so many that by chance none of three endpoints is left out, whatever their ports are. */
const clients = Array.from({ length: 40 }, (_, i) => `127.0.0.${i + 10}`)

interface Ports {
  readonly port: number
}

/** A service with an endpoint for each port. */
const config = (
  endpoints: readonly { readonly tcp?: Ports; readonly udp?: Ports; readonly more?: string }[],
  affinity = 'sessionAffinity: { clientIP: { timeout: 10m } }, ',
) => `${anyPorts}
gateways:
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
  web: { port: 0, address: 127.0.0.1 }
  proxied: { port: 0, address: 127.0.0.1, protocol: TCP }
  passed: { port: 0, address: 127.0.0.1, listeners: [{ name: all, protocol: TLS, hostname: '*.example' }] }
  datagrams: { port: 0, address: 127.0.0.1, protocol: UDP }
policies:
  - name: { name: clients, namespace: default }
    target: { gateway: { gatewayName: proxied, gatewayNamespace: default } }
    policy: { frontend: { proxyProtocol: { version: v1 } } }
services:
  - { name: api, namespace: shop, hostname: api.shop, ${affinity}ports: { '80': 80, '80/udp': 80 } }
workloads:
${endpoints
  .map(
    ({ tcp, udp, more = '' }, i) =>
      `  - { uid: w${i}, workloadIps: [127.0.0.1], services: { shop/api.shop: { '80': ${tcp?.port ?? 1}, '80/udp': ${udp?.port ?? 1} } }${more} }\n`,
  )
  .join('')}
routes: [{ gateways: web, backends: [{ service: { name: shop/api.shop, port: 80 } }] }]
tcpRoutes:
  - { name: raw, gateways: [raw, proxied], backends: [{ service: { name: shop/api.shop, port: 80 } }] }
  - { name: passed, gateways: passed, hostnames: [a.example], backends: [{ service: { name: shop/api.shop, port: 80 } }] }
udpRoutes: [{ gateways: datagrams, backends: [{ service: { name: shop/api.shop, port: 80 } }] }]
`

/** Answers with its name, to requests of HTTP as well. */
const named = (name: string): Promise<UpstreamServer> =>
  rawServer((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${name.length}\r\n\r\n${name}`)),
  )

const lastWord = (response: string): string => response.split('\r\n').at(-1) ?? ''

const overTcp = async (port: number, client: string, first = 'hello'): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: client })
  socket.write(first)
  return lastWord(await text(socket))
}

const overHttp = (port: number, client: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', localAddress: client, agent: false }, (res) => {
      void text(res).then(resolve, reject)
    })
      .on('error', reject)
      .end()
  })

const overUdp = async (port: number, client: string): Promise<string> => {
  using socket = await UdpClientSocket.to(port, { address: client, port: 0 })
  return String(await socket.ask('?'))
}

/** The endpoints that a client gets in some calls. */
const endpointsOf = async (count: number, call: () => Promise<string>): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (let i = 0; i < count; i++) found.add(await call())
  return found
}

/** Asserts that each client has one endpoint, and that there are several. */
const assertKept = async (call: (client: string) => Promise<string>): Promise<Map<string, string>> => {
  const byClient = new Map<string, string>()
  for (const client of clients) {
    const [endpoint, ...others] = await endpointsOf(3, () => call(client))
    assert.deepEqual(others, [], client)
    byClient.set(client, endpoint ?? '')
  }
  assert.equal(new Set(byClient.values()).size, 3)
  return byClient
}

suite('session affinity of a service', () => {
  const stack = new AsyncDisposableStack()
  const authority = stack.use(makeAuthority())
  let tcp: UpstreamServer[]
  let udp: UdpServer[]

  before(async () => {
    const names = ['one', 'two', 'three']
    tcp = await Promise.all(names.map(named))
    udp = await Promise.all(
      names.map((name) => udpServer((_, from, socket) => socket.send(name, from.port, from.address))),
    )
    for (const server of [...tcp, ...udp]) stack.use(server)
  })
  after(() => stack.disposeAsync())

  const all = () => [0, 1, 2].map((i) => ({ tcp: tcp[i]!, udp: udp[i]! }))

  test('keeps connections, at the endpoint of the requests of the same client', async () => {
    await using daemon = await startDaemon(config(all()))
    const byClient = await assertKept((client) => overTcp(portOf(daemon, 'raw'), client))
    for (const [client, endpoint] of byClient)
      assert.equal(await overHttp(portOf(daemon, 'web'), client), endpoint)
  })

  test('keeps connections by the address that the PROXY protocol has', async () => {
    await using daemon = await startDaemon(config(all()))
    const byClient = await assertKept((client) => {
      const header = `PROXY TCP4 ${client} 127.0.0.1 1000 80\r\nhello`
      return overTcp(portOf(daemon, 'proxied'), '127.0.0.1', header)
    })
    for (const [client, endpoint] of byClient)
      assert.equal(await overTcp(portOf(daemon, 'raw'), client), endpoint)
  })

  test('keeps TLS that is passed through', async () => {
    await using servers = new AsyncDisposableStack()
    const endpoints = []
    for (const name of ['one', 'two', 'three']) {
      const server = createTlsServer(authority.issue('a.example'), (socket) => socket.end(name))
      endpoints.push({ tcp: servers.use(await listening(server)) })
    }
    await using daemon = await startDaemon(config(endpoints))
    await assertKept(async (client) => {
      const raw = connect({ port: portOf(daemon, 'passed'), host: '127.0.0.1', localAddress: client })
      return text(connectTls({ socket: raw, servername: 'a.example', ca: authority.cert }))
    })
  })

  test('keeps sessions of datagrams', async () => {
    await using daemon = await startDaemon(config(all()))
    await assertKept((client) => overUdp(portOf(daemon, 'datagrams'), client))
  })

  test('survives endpoints that come, over reloads', async () => {
    await using daemon = await startDaemon(config(all().slice(0, 2)))
    const call = async (client: string) => [
      await overTcp(portOf(daemon, 'raw'), client),
      await overUdp(portOf(daemon, 'datagrams'), client),
    ]
    const earlier = new Map<string, string[]>()
    for (const client of clients) earlier.set(client, await call(client))
    daemon.rewrite(config(all()))
    await daemon.printed(/(configuration in force[^]*){2}/)
    for (const [client, endpoints] of earlier) assert.deepEqual(await call(client), endpoints, client)
  })

  test('leaves endpoints that terminate', async () => {
    await using daemon = await startDaemon(config(all()))
    const [client = ''] = clients
    const first = [
      await overTcp(portOf(daemon, 'raw'), client),
      await overUdp(portOf(daemon, 'datagrams'), client),
    ]
    const names = ['one', 'two', 'three']
    const terminating = (name: string) => (first.includes(name) ? { more: ', terminating: true' } : {})
    daemon.rewrite(config(all().map((one, i) => ({ ...one, ...terminating(names[i]!) }))))
    await daemon.printed(/(configuration in force[^]*){2}/)
    const [ofTcp, ...others] = await endpointsOf(5, () => overTcp(portOf(daemon, 'raw'), client))
    assert.ok(ofTcp !== undefined && !first.includes(ofTcp) && others.length === 0)
  })

  test('leaves endpoints that cannot be reached, for good', async () => {
    const closed = { port: await freePort() }
    const [one] = all()
    await using daemon = await startDaemon(config([{ tcp: closed, udp: closed }, one!]))
    for (const client of clients) {
      assert.deepEqual([...(await endpointsOf(3, () => overTcp(portOf(daemon, 'raw'), client)))], ['one'])
      using socket = await UdpClientSocket.to(portOf(daemon, 'datagrams'), { address: client, port: 0 })
      // What the network reports ends the session, and the next datagram begins another one.
      const asking = setInterval(() => socket.send('?'), 10)
      assert.equal(String(await socket.next()), 'one')
      clearInterval(asking)
    }
    await daemon.stop()
    const refused = daemon.output().match(/request .*protocol=udp .*connection refused/g)?.length ?? 0
    assert.ok(refused > 0 && refused <= clients.length, daemon.output())
  })

  test('is that of services that ask for it', async () => {
    await using daemon = await startDaemon(config(all(), ''))
    const [client = ''] = clients
    assert.equal((await endpointsOf(40, () => overTcp(portOf(daemon, 'raw'), client))).size, 3)
    assert.equal((await endpointsOf(40, () => overUdp(portOf(daemon, 'datagrams'), client))).size, 3)
  })
})
