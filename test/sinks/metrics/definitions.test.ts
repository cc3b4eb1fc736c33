import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestLabels } from '../../../src/model/resources/metric-labels.ts'
import { metricDefinitions } from '../../../src/sinks/metrics/definitions/metric-definitions.ts'

const R = 'bind, gateway, listener, route, route_rule'
const exchange = `backend, protocol, method, status, reason, ${R}`
const genAi = `gen_ai_operation_name, gen_ai_system, gen_ai_request_model, gen_ai_response_model, ${R}`
const connection = 'bind, gateway, listener, protocol'
const requests = '0.001 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 80'
const processing = '0.00005 0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 0.05 0.25'
const handshakes = '0.0005 0.0015 0.0043 0.0126 0.0368 0.108 0.316 0.924 2.71 8'

/** What other data planes of this kind expose under the same names: dashboards made for them work here. */
const documented: readonly (readonly [name: string, type: string, labels: string, buckets?: string])[] = [
  ['build', 'info', 'tag'],
  ['requests', 'counter', exchange],
  ['retries', 'counter', exchange],
  ['response_bytes', 'counter', exchange],
  ['request_duration_seconds', 'histogram', exchange, requests],
  ['request_processing_seconds', 'histogram', `backend, ${R}`, processing],
  ['response_processing_seconds', 'histogram', `backend, ${R}`, processing],
  ['downstream_connections', 'counter', connection],
  ['downstream_received_bytes', 'counter', connection],
  ['downstream_sent_bytes', 'counter', connection],
  ['tls_handshake_duration_seconds', 'histogram', connection, handshakes],
  ['upstream_connect_duration_seconds', 'histogram', 'transport', handshakes],
  ['upstream_call_duration_seconds', 'histogram', 'kind, subtype', requests],
  ['mcp_requests', 'counter', `method, resource_type, server, resource, ${R}`],
  [
    ...(['gen_ai_client_token_usage', 'histogram', `gen_ai_token_type, ${genAi}`] as const),
    '1 4 16 64 256 1024 4096 16384 65536 262144 1048576 4194304 16777216 67108864',
  ],
  ['gen_ai_client_cost_usd', 'counter', genAi],
  [
    ...(['gen_ai_server_request_duration', 'histogram', genAi] as const),
    '0.01 0.02 0.04 0.08 0.16 0.32 0.64 1.28 2.56 5.12 10.24 20.48 40.96 81.92',
  ],
  [
    ...(['gen_ai_server_time_per_output_token', 'histogram', genAi] as const),
    '0.001 0.01 0.025 0.05 0.075 0.1 0.15 0.2 0.3 0.4 0.5 0.75 1 2.5',
  ],
  [
    ...(['gen_ai_server_time_to_first_token', 'histogram', genAi] as const),
    '0.001 0.005 0.01 0.02 0.04 0.06 0.08 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10',
  ],
  ['cost_catalog_lookups', 'counter', `status, ${genAi}`],
  ['guardrail_checks', 'counter', 'phase, action'],
  ['config_synchronized', 'gauge', ''],
]

test('metrics have the names, types, labels and buckets that dashboards rely on', () => {
  const defined = new Map<string, (typeof metricDefinitions)[keyof typeof metricDefinitions]>(
    Object.values(metricDefinitions).map((metric) => [metric.name, metric]),
  )
  for (const [name, type, labels, buckets] of documented) {
    const metric = defined.get(`agentgateway_${name}`)
    assert.equal(metric?.type, type, name)
    assert.equal(metric.labels.join(', '), labels, name)
    assert.equal('buckets' in metric ? metric.buckets.join(' ') : undefined, buckets, name)
  }
})

test('metrics have unique names, and units where they are durations', () => {
  const names = Object.values(metricDefinitions).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^agentgateway_[a-z_]+[a-z]$/)
})

test('labels of the metrics of requests are not available for added ones', () => {
  const { requests, mcpRequests, genAiTokenUsage, costLookups } = metricDefinitions
  const labels = [requests, mcpRequests, genAiTokenUsage, costLookups].flatMap((metric) => [...metric.labels])
  assert.deepEqual([...requestLabels].sort(), [...new Set([...labels, 'le'])].sort())
})
