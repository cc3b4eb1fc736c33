import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { createGateway, type GatewayConfig } from '../../src/create-gateway.ts'
import { makeAuthority } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { startHttpCollector } from '../support/otlp/collector.ts'
import { RawClient } from '../support/raw-client.ts'
import { sendRequest } from '../support/send-request.ts'
import { handshake } from '../support/send-tls-request.ts'

interface Attachment {
  readonly gateway?: string
  readonly listener?: string
  readonly port?: number
  readonly frontend: object
}

const attached = (list: readonly Attachment[]) =>
  list.map(({ gateway = 'one', listener, port, frontend }, i) => ({
    name: { name: `p${String(i)}` },
    target: {
      gateway: {
        gatewayName: gateway,
        ...(listener !== undefined && { listenerName: listener }),
        ...(port !== undefined && { port }),
      },
    },
    policy: { frontend },
  }))

/** Two gateways, each with a port; the first has two listeners. */
const configuration = (
  [first, second]: readonly [number, number],
  list: readonly Attachment[],
  frontendPolicies: object = {},
): GatewayConfig => ({
  gateways: {
    one: {
      port: first,
      address: '127.0.0.1',
      listeners: [
        { name: 'a', hostname: 'a.test' },
        { name: 'b', hostname: 'b.test' },
      ],
    },
    two: { port: second, address: '127.0.0.1' },
  },
  routes: [
    {
      name: 'large',
      gateways: ['one', 'two'],
      matches: [{ path: { exact: '/large' } }],
      policies: { directResponse: { status: 200 }, buffer: { request: {} } },
    },
    { name: 'all', gateways: ['one', 'two'], policies: { directResponse: { status: 200, body: 'fine' } } },
  ],
  frontendPolicies,
  policies: attached(list),
})

const start = async (
  list: (ports: readonly [number, number]) => readonly Attachment[],
  frontendPolicies?: object,
) => {
  const ports = [await freePort(), await freePort()] as const
  const lines: string[] = []
  const gateway = await createGateway(configuration(ports, list(ports), frontendPolicies), {
    env: { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_BLRP_SCHEDULE_DELAY: '10' },
    log: { write: (line) => lines.push(line) > 0, flushSync: () => undefined },
  })
  return {
    ports,
    /** The request lines of the access log, once there are so many. */
    logged: async (count: number) => {
      for (;;) {
        const found = lines.filter((line) => line.includes('http.path='))
        if (found.length >= count) return found
        await new Promise(setImmediate)
      }
    },
    ask: (port: number, path: string, host = 'a.test', body?: string) =>
      sendRequest(`http://127.0.0.1:${String(port)}`, path, {
        headers: { host },
        ...(body !== undefined && { method: 'POST', body }),
      }),
    /** Everything that is received until the gateway ends the connection. */
    say: async (port: number, bytes: string): Promise<string> => {
      using client = new RawClient(connect({ port, host: '127.0.0.1' }))
      client.send(bytes)
      return await client.end()
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

const log = (level: string) => ({ accessLog: { add: { level: `"${level}"` } } })
const levelOf = (line: string | undefined): string | undefined => /level=(\w+)/.exec(line ?? '')?.[1]
const plain = 'GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n'

suite('attached frontend policies', () => {
  test('of logs: the file, then the gateway, the port and the listener', async () => {
    const of = async (list: (ports: readonly [number, number]) => readonly Attachment[]) => {
      await using gateway = await start(list, log('file'))
      const [one, two] = gateway.ports
      for (const host of ['a.test', 'b.test', 'unknown.test']) await gateway.ask(one, '/', host)
      await gateway.ask(two, '/')
      return (await gateway.logged(4)).map(levelOf)
    }
    const [ofGateway, ofListener] = [
      { frontend: log('gateway') },
      { listener: 'a', frontend: log('listener') },
    ]
    assert.deepEqual(await of(() => []), ['file', 'file', 'file', 'file'])
    assert.deepEqual(await of(() => [ofGateway]), ['gateway', 'gateway', 'gateway', 'file'])
    assert.deepEqual(await of(() => [ofListener]), ['listener', 'file', 'file', 'file'])
    assert.deepEqual(await of(([port]) => [ofListener, { port, frontend: log('port') }, ofGateway]), [
      'listener',
      'port',
      'port',
      'file',
    ])
  })

  test('of logs replace the filter of outer levels as a whole', async () => {
    await using gateway = await start(() => [{ listener: 'b', frontend: { accessLog: {} } }], {
      accessLog: { filter: 'false', add: { level: '"file"' } },
    })
    const [one] = gateway.ports
    for (const host of ['a.test', 'b.test']) await gateway.ask(one, '/', host)
    const logged = await gateway.logged(1)
    assert.deepEqual(
      logged.map((line) => /http\.host=([\w.]+)/.exec(line)?.[1]),
      ['b.test'],
    )
    assert.equal(levelOf(logged[0]), undefined)
  })

  test('of traces: each listener has its own sampling and collector, and the rest those of the process', async () => {
    await using own = await startHttpCollector()
    await using process = await startHttpCollector()
    const tracing = (host: string, tenant: string) => ({
      tracing: {
        host,
        protocol: 'http',
        randomSampling: true,
        attributes: { tenant: `"${tenant}"` },
        resources: { tenant: `"${tenant}"` },
      },
    })
    await using gateway = await start(
      () => [
        { listener: 'a', frontend: tracing(own.host, 'a') },
        { listener: 'b', frontend: { tracing: { host: own.host, protocol: 'http', randomSampling: false } } },
      ],
      tracing(process.host, 'process'),
    )
    const [one, two] = gateway.ports
    await gateway.ask(one, '/', 'b.test')
    await gateway.ask(one, '/', 'a.test')
    await gateway.ask(two, '/')
    await own.until(() => own.spans.length > 0)
    await process.until(() => process.spans.length > 0)
    const tenants = (collector: typeof own) => collector.spans.map(({ attributes }) => attributes.tenant)
    assert.deepEqual([tenants(own), tenants(process)], [['a'], ['process']])
    assert.deepEqual([own.resources[0]?.tenant, process.resources[0]?.tenant], ['a', 'process'])
  })

  test('of exported logs: each goes to its own collector', async () => {
    await using own = await startHttpCollector()
    await using process = await startHttpCollector()
    const otlp = ({ host }: typeof own) => ({ accessLog: { otlp: { host, protocol: 'http' } } })
    await using gateway = await start(() => [{ listener: 'a', frontend: otlp(own) }], otlp(process))
    const [one] = gateway.ports
    await gateway.ask(one, '/of-a', 'a.test')
    await gateway.ask(one, '/of-b', 'b.test')
    await own.until(() => own.logs.length > 0)
    await process.until(() => process.logs.length > 0)
    const paths = (collector: typeof own) => collector.logs.map(({ attributes }) => attributes['http.path'])
    assert.deepEqual([paths(own), paths(process)], [['/of-a'], ['/of-b']])
  })

  test('of HTTP: limits of headers and bodies are those of the port', async () => {
    await using gateway = await start(([port]) => [
      { frontend: { http: { http1MaxHeaders: 100, maxBufferSize: 10 } } },
      { port, frontend: { http: { http1MaxHeaders: 5, maxBufferSize: 20 } } },
      { gateway: 'two', frontend: { http: { maxBufferSize: 30 } } },
    ])
    const [one, two] = gateway.ports
    const many = plain.replace('\r\n\r\n', `${'\r\nx-a: 1'.repeat(10)}\r\n\r\n`)
    assert.match(await gateway.say(one, many), /^HTTP\/1\.1 431 /)
    assert.match(await gateway.say(two, many), /^HTTP\/1\.1 200 /)
    const statuses = async (port: number, size: number) =>
      (await gateway.ask(port, '/large', 'a.test', 'x'.repeat(size))).status
    assert.deepEqual([await statuses(one, 20), await statuses(one, 21)], [200, 413])
    assert.deepEqual([await statuses(two, 30), await statuses(two, 31)], [200, 413])
  })

  test('of connections: PROXY headers, admission and CONNECT are decided for each port', async () => {
    await using gateway = await start(([port]) => [
      { frontend: { proxyProtocol: { version: 'v1' } } },
      { frontend: { networkAuthorization: { rules: ['source.address == "192.0.2.9"'] } } },
      { port, frontend: { networkAuthorization: { rules: ['source.address == "192.0.2.1"'] } } },
      { gateway: 'two', frontend: { connect: { mode: 'route' } } },
    ])
    const [one, two] = gateway.ports
    const from = (address: string) => `PROXY TCP4 ${address} 127.0.0.1 1000 80\r\n${plain}`
    assert.match(await gateway.say(one, from('192.0.2.1')), /^HTTP\/1\.1 200 /)
    assert.equal(await gateway.say(one, from('192.0.2.9')), '', 'the port replaces the rules of the gateway')
    assert.equal(await gateway.say(one, plain), '', 'without a PROXY header')
    assert.match(await gateway.say(two, plain), /^HTTP\/1\.1 200 /)
    const tunnel = 'CONNECT a.test:80 HTTP/1.1\r\nhost: a.test:80\r\nconnection: close\r\n\r\n'
    assert.match(
      await gateway.say(one, `PROXY TCP4 192.0.2.1 127.0.0.1 1000 80\r\n${tunnel}`),
      /^HTTP\/1\.1 405 /,
    )
    assert.match(await gateway.say(two, tunnel), /^HTTP\/1\.1 200 /)
  })

  test('of TLS: each port has its own versions', async () => {
    using authority = makeAuthority()
    const { certFile: cert, keyFile: key } = authority.issue('a.test', ['DNS:a.test'])
    const ports = [await freePort(), await freePort()] as const
    const [one, two] = ports
    const tls = { cert, key }
    await using _ = await createGateway({
      gateways: {
        one: { port: one, address: '127.0.0.1', tls },
        two: { port: two, address: '127.0.0.1', tls },
      },
      routes: [{ name: 'all', gateways: ['one', 'two'], policies: { directResponse: { status: 200 } } }],
      policies: attached([{ frontend: { tls: { minVersion: 'TLS_V1_3' } } }]),
    })
    const options = { ca: authority.cert, servername: 'a.test', maxVersion: 'TLSv1.2' } as const
    await assert.rejects(handshake(one, options))
    const socket = await handshake(two, options)
    assert.equal(socket.getProtocol(), 'TLSv1.2')
    socket.destroy()
  })
})
