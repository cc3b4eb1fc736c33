import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'
import { startHttpCollector } from '../../test/support/otlp/collector.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'

test('examples/opentelemetry', async (t) => {
  await using service = await startEcho('service')
  await using collector = await startHttpCollector()
  await using daemon = await startExample('opentelemetry', {
    SERVICE: service.host,
    COLLECTOR: collector.host,
    COLLECTOR_TOKEN: 's3cr3t-of-the-collector',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_BLRP_SCHEDULE_DELAY: '10',
  })
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'x-tenant': 'blue' }
  await sendRequest(daemon.url('default'), '/healthz', { headers })
  service.status = 404
  await sendRequest(daemon.url('default'), '/a', { headers })

  await t.test('exports the spans of requests', async () => {
    const spans = await collector.trace(traceId, 2)
    assert.deepEqual(spans.map(({ name }) => name).sort(), ['GET /*', 'Http'])
    assert.equal(spans.find(({ kind }) => kind === 'SERVER')?.attributes.tenant, 'blue')
    assert.equal(collector.resources[0]?.['deployment.environment.name'], 'example')
  })

  await t.test('exports the access log of failed requests', async () => {
    await collector.until(() => collector.logs.length > 0)
    assert.deepEqual(
      collector.logs.map(({ attributes }) => [attributes['http.path'], attributes.tenant]),
      [['/a', 'blue']],
    )
  })

  await t.test('hides the credentials of the collector', async () => {
    const sent = collector.exports.find(({ path }) => path === '/v1/traces')
    assert.equal(sent?.headers.authorization, 'Bearer s3cr3t-of-the-collector')
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    assert.doesNotMatch(dump, /s3cr3t-of-the-collector/)
    assert.match(dump, /"x-scope-orgid":\s*"example"/)
    assert.doesNotMatch(daemon.output(), /s3cr3t-of-the-collector/)
  })

  await t.test('counts what was exported', async () => {
    // Spans are counted when the response of the collector has arrived.
    let metrics = ''
    while (!/_exported_records_total\{signal="traces"\} 2$/m.test(metrics))
      metrics = (await sendRequest(daemon.url('stats'), '/metrics')).text
    assert.match(metrics, /^agentgateway_otlp_exported_records_total\{signal="traces"\} 2$/m)
  })
})
