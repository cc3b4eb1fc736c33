import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway, type GatewayConfig } from '../../../src/create-gateway.ts'
import { sendRequest } from '../../support/send-request.ts'
import { startHttpCollector } from '../../support/otlp/collector.ts'
import { rawServer } from '../../support/upstream-servers.ts'

const REQUESTS = 60
const env = {
  OTEL_BSP_SCHEDULE_DELAY: '1',
  OTEL_BSP_MAX_QUEUE_SIZE: '10',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
  OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
}

const configuration = (host: string, protocol: string): GatewayConfig =>
  ({
    config: {
      ...{ statsAddr: '127.0.0.1:0', adminAddr: 'off', readinessAddr: 'off' },
      connectionTerminationDeadline: '100ms',
    },
    gateways: { default: { port: 0, address: '127.0.0.1' } },
    routes: [{ policies: { directResponse: { status: 200, body: 'fine' } } }],
    frontendPolicies: { tracing: { host, protocol, randomSampling: true } },
  }) as unknown as GatewayConfig

/** The sum of a counter's samples with these labels. */
const counted = (text: string, name: string, labels = ''): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

/** Sends requests through a gateway with such a collector, and returns the metrics after it. */
const withCollector = async (
  host: string,
  protocol: string,
  until: (metrics: string) => boolean,
): Promise<string> => {
  const gateway = await createGateway(configuration(host, protocol), { env, adminServers: true })
  const address = (name: string) => gateway.addresses.find((one) => one.name === name)?.url ?? ''
  const metrics = async () => (await sendRequest(address('stats'), '/metrics')).text
  try {
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, () => sendRequest(address('default'), '/')),
    )
    assert.deepEqual(
      replies.filter(({ text }) => text !== 'fine'),
      [],
    )
    for (;;) {
      const text = await metrics()
      if (until(text)) return text
    }
  } finally {
    const closing = performance.now()
    await gateway.close()
    assert.ok(performance.now() - closing < 60_000, 'the shutdown does not wait for the collector')
  }
}

const dropped = 'agentgateway_otlp_dropped_records_total'
const failed = 'agentgateway_otlp_failed_records_total'

test('a collector that never responds', async () => {
  await using silent = await rawServer((socket) => socket.resume())
  for (const protocol of ['http', 'grpc']) {
    // One batch is being sent and the queue is full; the rest is dropped.
    const text = await withCollector(
      `127.0.0.1:${silent.port}`,
      protocol,
      (metrics) => counted(metrics, dropped) >= REQUESTS - 20,
    )
    assert.ok(counted(text, dropped, 'signal="traces",reason="queue_full"') >= REQUESTS - 20, text)
  }
})

test('a collector that refuses connections, or cuts them', async () => {
  await using cutting = await rawServer((socket) => socket.destroy())
  for (const host of ['127.0.0.1:1', `127.0.0.1:${cutting.port}`])
    await withCollector(host, 'http', (metrics) => counted(metrics, dropped, 'queue_full') > 0)
})

test('a collector that rejects exports', async () => {
  await using rejecting = await startHttpCollector(() => ({ status: 400 }))
  const text = await withCollector(
    rejecting.host,
    'http',
    (metrics) => counted(metrics, failed, 'reason="rejected"') + counted(metrics, dropped) >= REQUESTS,
  )
  assert.ok(counted(text, failed, 'reason="rejected"') > 0)
  assert.equal(counted(text, 'agentgateway_otlp_exported_records_total'), 0)
})

test('a collector that takes a part of an export', async () => {
  // partial_success { rejected_spans: 2, error_message: "no" }
  const body = Uint8Array.from([0x0a, 6, 0x08, 2, 0x12, 2, 0x6e, 0x6f])
  await using partial = await startHttpCollector(() => ({ status: 200, body }))
  const text = await withCollector(
    partial.host,
    'http',
    (metrics) => counted(metrics, failed, 'rejected') >= 2,
  )
  assert.ok(counted(text, failed, 'signal="traces",reason="rejected"') >= 2)
})
