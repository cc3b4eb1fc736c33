import { ServerCredentials } from '@grpc/grpc-js'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, suite, test } from 'node:test'
import { createGateway, type Gateway, type GatewayConfig } from '../../src/create-gateway.ts'
import { makeAuthority } from '../support/certificates.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { picking } from '../support/endpoint-picker.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { type Collector, startGrpcCollector } from '../support/otlp/collector.ts'
import { asItIs, casesOf, type Processor, respondingTo, startProcessor } from '../support/processor.ts'
import { type CountingService, startCounting } from '../support/rate-limit-service.ts'
import { type RequestParts, sendRequest } from '../support/send-request.ts'

const authority = makeAuthority()
const env = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_BLRP_SCHEDULE_DELAY: '10' }
const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

/** A service by a name that only the proxy finds. */
const through = (proxy: number, name: string, service: { readonly port: number }, more: object = {}) => ({
  host: `${name}.example:${service.port}`,
  policies: { backendTunnel: { proxy: { host: `127.0.0.1:${proxy}` } }, ...more },
})

suite('processors, pickers, rate limit services and collectors behind an HTTP proxy', () => {
  const stack = new AsyncDisposableStack()
  let proxy: HttpProxy
  let processor: Processor
  let secured: Processor
  let limits: CountingService
  let traces: Collector
  let logs: Collector
  let upstream: EchoUpstream
  let gateway: Gateway

  const configuration = (): GatewayConfig => {
    const route = (name: string, policies: object) => ({
      name,
      matches: [{ path: { pathPrefix: `/${name}` } }],
      policies,
      backends: [{ host: upstream.host }],
    })
    const limit = (service: object) => ({
      ...service,
      domain: 'shop',
      descriptors: [{ entries: [{ key: 'path', value: 'request.path' }] }],
    })
    const portOf = ({ host }: Collector) => ({ port: Number(host.split(':')[1]) })
    const trust = { backendTLS: { root: authority.certFile } }
    return {
      gateways: { default: { port: 0, address: '127.0.0.1' } },
      services: [{ name: 'pool', namespace: 'models', hostname: 'pool', ports: { 8000: 8000 } }],
      workloads: [
        {
          uid: 'one',
          workloadIps: ['127.0.0.1'],
          services: { 'models/pool': { 8000: Number(upstream.host.split(':')[1]) } },
        },
      ],
      frontendPolicies: {
        tracing: { ...through(proxy.port, 'traces', portOf(traces)), protocol: 'grpc' },
        accessLog: { otlp: { ...through(proxy.port, 'logs', portOf(logs)), protocol: 'grpc' } },
      },
      routes: [
        route('plain', {}),
        route('processed', { extProc: through(proxy.port, 'processor', processor) }),
        route('secured', { extProc: through(proxy.port, 'processor', secured, trust) }),
        route('unprocessed', { extProc: through(1, 'processor', processor) }),
        route('limited', { remoteRateLimit: limit(through(proxy.port, 'limits', limits)) }),
        route('unlimited', { remoteRateLimit: limit(through(1, 'limits', limits)) }),
        {
          name: 'picked',
          matches: [{ path: { pathPrefix: '/picked' } }],
          backends: [
            {
              service: { name: 'models/pool', port: 8000 },
              policies: {
                inferenceRouting: { endpointPicker: through(proxy.port, 'picker', processor) },
              },
            },
          ],
        },
      ],
    } as unknown as GatewayConfig
  }

  before(async () => {
    const { cert, key } = authority.issue('processor.example')
    proxy = stack.use(await startProxy())
    processor = stack.use(await startProcessor())
    secured = stack.use(
      await startProcessor(
        ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }]),
      ),
    )
    limits = stack.use(await startCounting(1))
    traces = stack.use(await startGrpcCollector())
    logs = stack.use(await startGrpcCollector())
    upstream = stack.use(await startEcho('upstream'))
    gateway = stack.use(await createGateway(configuration(), { env }))
  })
  after(async () => {
    await stack.disposeAsync()
    authority[Symbol.dispose]()
  })
  beforeEach(() => {
    proxy.lines.length = 0
    processor.received.length = 0
    processor.counts.begun = 0
    processor.onStream = respondingTo(() => asItIs)
    limits.heard.length = 0
    upstream.asked.length = 0
  })

  const send = (path: string, parts: RequestParts = {}) =>
    sendRequest(gateway.addresses[0]?.url ?? '', path, parts)
  /** Tunnels to a service; those of collectors may begin at any time. */
  const tunnelsTo = (name: string): readonly string[] =>
    proxy.lines.filter((line) => line.startsWith(`CONNECT ${name}.example:`))

  test('a processor gets requests and replies with large bodies, each on a stream of one tunnel', async () => {
    const body = randomBytes(1_000_000).toString('base64')
    const replies = await Promise.all(
      ['/processed/1', '/processed/2'].map((path) => send(path, { method: 'POST', body })),
    )
    for (const reply of replies) {
      assert.equal(reply.status, 200)
      assert.equal(echoed(reply).body, body)
    }
    assert.deepEqual(tunnelsTo('processor'), [`CONNECT processor.example:${processor.port}`])
    const kinds = new Set(casesOf(processor.received))
    for (const kind of ['requestHeaders', 'requestBody', 'responseHeaders', 'responseBody'] as const)
      assert.ok(kinds.has(kind), kind)
    assert.equal(processor.counts.begun, 2)
  })

  test('a processor that can be reached no longer fails requests, until there is a tunnel again', async () => {
    assert.equal((await send('/processed')).status, 200)
    const begun = tunnelsTo('processor').length
    processor.onStream = respondingTo(() => {
      for (const socket of proxy.sockets) socket.destroy()
      return undefined
    })
    assert.equal((await send('/processed')).status, 500)
    processor.onStream = respondingTo(() => asItIs)
    assert.equal((await send('/processed')).status, 200)
    assert.equal(tunnelsTo('processor').length, begun + 1)
  })

  test('a processor has TLS of its own within the tunnel', async () => {
    assert.equal((await send('/secured')).status, 200)
    assert.deepEqual(tunnelsTo('processor'), [`CONNECT processor.example:${secured.port}`])
    assert.equal(secured.counts.begun, 1)
  })

  test('a picker chooses the endpoint', async () => {
    processor.onStream = picking(() => upstream.host)
    assert.equal((await send('/picked', { method: 'POST', body: '{}' })).status, 200)
    assert.deepEqual(tunnelsTo('picker'), [`CONNECT picker.example:${processor.port}`])
    assert.deepEqual([processor.counts.begun, upstream.asked.length], [1, 1])
  })

  test('a rate limit service counts', async () => {
    const statuses = [await send('/limited'), await send('/limited')].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 429])
    assert.deepEqual(tunnelsTo('limits'), [`CONNECT limits.example:${limits.port}`])
    assert.equal(limits.heard.length, 2)
  })

  test('neither is called around a proxy that is not there: requests fail', async () => {
    const replies = [await send('/unprocessed'), await send('/unlimited')]
    assert.deepEqual(
      replies.map(({ status, text }) => [status, text]),
      [
        [500, 'ext_proc failed: the processor cannot be reached'],
        [500, 'rate limit failed'],
      ],
    )
    assert.deepEqual([processor.counts.begun, limits.heard.length, upstream.asked.length], [0, 0, 0])
  })

  test('collectors get traces and access logs, each through a tunnel of its own', async () => {
    // The tunnels of the tests before have been broken by one of them, or are still there.
    for (const socket of proxy.sockets) socket.destroy()
    await send('/plain', { headers: { traceparent } })
    const [span] = await traces.trace(traceId, 2)
    assert.equal(span?.traceId, traceId)
    await logs.until(() => logs.logs.some((record) => record.traceId === traceId))
    for (const name of ['traces', 'logs']) assert.ok(tunnelsTo(name).length > 0, name)
  })
})

test('collectors are never called around a proxy that is not there', async () => {
  await using collector = await startGrpcCollector()
  await using gateway = await createGateway(
    {
      config: { statsAddr: '127.0.0.1:0', adminAddr: 'off', readinessAddr: 'off' },
      gateways: { default: { port: 0, address: '127.0.0.1' } },
      routes: [{ policies: { directResponse: { status: 200 } } }],
      frontendPolicies: {
        tracing: {
          host: collector.host,
          protocol: 'grpc',
          randomSampling: true,
          policies: { backendTunnel: { proxy: { host: '127.0.0.1:1' } } },
        },
      },
    } as unknown as GatewayConfig,
    {
      env: { ...env, OTEL_BSP_MAX_QUEUE_SIZE: '2', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' },
      adminServers: true,
    },
  )
  const at = (name: string) => gateway.addresses.find((one) => one.name === name)?.url ?? ''
  const lost = /^agentgateway_otlp_(?:dropped|failed)_records_total\{.*\} [1-9]/m
  for (let text = ''; !lost.test(text);) {
    await sendRequest(at('default'), '/')
    text = (await sendRequest(at('stats'), '/metrics')).text
  }
  assert.deepEqual(collector.exports, [])
})
