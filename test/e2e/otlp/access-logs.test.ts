import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway, type GatewayConfig } from '../../../src/create-gateway.ts'
import { sendRequest } from '../../support/send-request.ts'
import { type Collector, startGrpcCollector, startHttpCollector } from '../../support/otlp/collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

const configuration = (collector: Collector, protocol: string, tracing?: object): GatewayConfig =>
  ({
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    routes: [
      {
        name: 'missing',
        matches: [{ path: { pathPrefix: '/missing' } }],
        policies: { directResponse: { status: 404 } },
      },
      {
        name: 'broken',
        matches: [{ path: { pathPrefix: '/broken' } }],
        backends: [{ host: '127.0.0.1:1' }],
      },
      { name: 'fine', policies: { directResponse: { status: 200, body: 'fine' } } },
    ],
    frontendPolicies: {
      ...(tracing && { tracing }),
      accessLog: {
        filter: 'false',
        add: { local: '"only"' },
        otlp: {
          host: collector.host,
          protocol,
          filter: 'request.path != "/quiet"',
          fields: {
            add: { team: 'request.headers["x-team"]', weight: '1.5', flag: 'true', list: '[1, "a"]' },
            remove: ['src.addr'],
          },
        },
      },
    },
  }) as unknown as GatewayConfig

const env = { OTEL_BLRP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-of=env' }

for (const [protocol, start] of [
  ['http', startHttpCollector],
  ['grpc', startGrpcCollector],
] as const)
  test(`access logs over ${protocol}`, async (t) => {
    await using collector = await start()
    await using gateway = await createGateway(configuration(collector, protocol), { env })
    const url = gateway.addresses[0]?.url ?? ''
    const headers = { traceparent: `00-${traceId}-${spanId}-01`, 'x-team': 'blue' }
    await sendRequest(url, '/quiet', { headers })
    await sendRequest(url, '/a?key=s3cr3t-value', { headers })
    await sendRequest(url, '/missing')
    await sendRequest(url, '/broken')
    await collector.until(() => collector.logs.length >= 3)
    const [fine, missing, broken] = collector.logs

    await t.test('are typed, with rules of their own', () => {
      assert.equal(collector.logs.length, 3, 'one is filtered')
      const { attributes } = fine ?? {}
      assert.deepEqual(
        ['route', 'http.status', 'http.path', 'team', 'weight', 'flag', 'list', 'local', 'src.addr'].map(
          (name) => attributes?.[name],
        ),
        ['default/fine', 200n, '/a?key=<redacted>', 'blue', 1.5, true, '[1,"a"]', undefined, undefined],
      )
      assert.equal(fine?.body, 'request')
    })

    await t.test('belong to the trace of the client', () => {
      assert.deepEqual([fine?.traceId, fine?.spanId], [traceId, spanId])
      assert.deepEqual([missing?.traceId, missing?.spanId], ['', ''])
    })

    await t.test('have a severity', () => {
      assert.deepEqual(
        [fine, missing, broken].map((log) => [log?.severity, log?.severityText]),
        [
          ['INFO', 'INFO'],
          ['WARN', 'WARN'],
          ['ERROR', 'ERROR'],
        ],
      )
      assert.match(String(broken?.attributes.error), /upstream/)
    })

    await t.test('are sent to the path and service of logs', () => {
      const [sent] = collector.exports
      assert.equal(sent?.path, protocol === 'http' ? '/v1/logs' : 'logs')
      assert.equal(sent.headers['x-of'], undefined, 'headers of variables are for their own collector')
      assert.equal(collector.resources[0]?.['service.name'], 'agentgateway')
    })
  })

test('log lines and exported records name the server span', async () => {
  await using collector = await startHttpCollector()
  const lines: string[] = []
  const tracing = { host: collector.host, protocol: 'http' }
  const configured = configuration(collector, 'http', tracing) as { frontendPolicies: { accessLog: object } }
  const { accessLog } = configured.frontendPolicies
  const logged = { ...configured, frontendPolicies: { tracing, accessLog: { ...accessLog, filter: 'true' } } }
  await using gateway = await createGateway(logged as GatewayConfig, {
    env: { ...env, OTEL_BSP_SCHEDULE_DELAY: '10' },
    log: { write: (line) => lines.push(line) > 0, flushSync: () => undefined },
  })
  const headers = { traceparent: `00-${traceId}-${spanId}-01` }
  await sendRequest(gateway.addresses[0]?.url ?? '', '/a', { headers })
  const [server] = await collector.trace(traceId, 1)
  await collector.until(() => collector.logs.length > 0)
  assert.deepEqual([collector.logs[0]?.traceId, collector.logs[0]?.spanId], [traceId, server?.spanId])
  const line = lines.find((one) => one.includes('http.path=/a')) ?? ''
  assert.ok(line.includes(` trace.id=${traceId} span.id=${String(server?.spanId)} `), line)
})
