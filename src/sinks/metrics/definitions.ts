/** The description of a metric in `/metrics`. */
export interface MetricDefinition {
  /** Without the `_total` of counter samples. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info'
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds; histograms only. */
  readonly buckets?: readonly number[]
}

const route = ['bind', 'gateway', 'listener', 'route', 'route_rule']
const exchange = ['backend', 'protocol', 'method', 'status', 'reason', ...route]
const genAi = [
  'gen_ai_operation_name',
  'gen_ai_system',
  'gen_ai_request_model',
  'gen_ai_response_model',
  ...route,
]
const connection = ['bind', 'gateway', 'listener', 'protocol']

const durations = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 80]
const processing = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25]
const tokens = Array.from({ length: 14 }, (_, i) => 4 ** i)
const modelDurations = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const perToken = [0.001, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const firstToken = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const connecting = [0.0005, 0.0015, 0.0043, 0.0126, 0.0368, 0.108, 0.316, 0.924, 2.71, 8]

/** All metrics. Unknown label values are `unknown`. */
export const metricDefinitions = {
  build: info('agentgateway_build', 'The build that runs.', ['tag']),
  requests: counter('agentgateway_requests', 'Requests answered.', exchange),
  retries: counter(
    'agentgateway_retries',
    'Calls to an upstream after the first one of a request.',
    exchange,
  ),
  responseBytes: counter('agentgateway_response_bytes', 'Bytes of bodies sent to clients.', exchange),
  requestDuration: histogram(
    'agentgateway_request_duration_seconds',
    'From the head of a request to the last byte of its answer.',
    exchange,
    durations,
  ),
  requestProcessing: histogram(
    'agentgateway_request_processing_seconds',
    'From the head of a request to the first call to its upstream.',
    ['backend', ...route],
    processing,
  ),
  responseProcessing: histogram(
    'agentgateway_response_processing_seconds',
    'From the head of an upstream’s answer, or what else of it had to be waited for, to the head for the client.',
    ['backend', ...route],
    processing,
  ),
  downstreamConnections: counter(
    'agentgateway_downstream_connections',
    'Connections accepted from clients.',
    connection,
  ),
  downstreamReceivedBytes: counter(
    'agentgateway_downstream_received_bytes',
    'Bytes received on connections of clients, counted when they close.',
    connection,
  ),
  downstreamSentBytes: counter(
    'agentgateway_downstream_sent_bytes',
    'Bytes sent on connections of clients, counted when they close.',
    connection,
  ),
  tlsHandshake: histogram(
    'agentgateway_tls_handshake_duration_seconds',
    'TLS handshakes with clients.',
    connection,
    connecting,
  ),
  upstreamConnect: histogram(
    'agentgateway_upstream_connect_duration_seconds',
    'Time to connect to an upstream, with its TLS handshake.',
    ['transport'],
    connecting,
  ),
  upstreamCall: histogram(
    'agentgateway_upstream_call_duration_seconds',
    'From a call made by the gateway to the head of its answer, or to its failure.',
    ['kind', 'subtype'],
    durations,
  ),
  mcpRequests: counter('agentgateway_mcp_requests', 'Requests and notifications of MCP clients.', [
    'method',
    'resource_type',
    'server',
    'resource',
    ...route,
  ]),
  genAiTokenUsage: histogram(
    'agentgateway_gen_ai_client_token_usage',
    'Tokens that a call of a language model used, by kind.',
    ['gen_ai_token_type', ...genAi],
    tokens,
  ),
  genAiCost: counter(
    'agentgateway_gen_ai_client_cost_usd',
    'What calls of language models cost, in US dollars, where the price is known.',
    genAi,
  ),
  genAiRequestDuration: histogram(
    'agentgateway_gen_ai_server_request_duration',
    'Seconds from a call of a language model to the last byte of its answer.',
    genAi,
    modelDurations,
  ),
  genAiTimePerOutputToken: histogram(
    'agentgateway_gen_ai_server_time_per_output_token',
    'Seconds for each token of a streamed answer after the first.',
    genAi,
    perToken,
  ),
  genAiTimeToFirstToken: histogram(
    'agentgateway_gen_ai_server_time_to_first_token',
    'Seconds from a call of a language model to the first token of a streamed answer.',
    genAi,
    firstToken,
  ),
  costLookups: counter(
    'agentgateway_cost_catalog_lookups',
    'Looks for the price of a model: Exact, Unpriced, Missing, or NoCatalog.',
    ['status', ...genAi],
  ),
  genAiDroppedFields: counter(
    'agentgateway_gen_ai_dropped_fields',
    'Fields that had no place in the format that a request or an answer was translated to.',
    ['field'],
  ),
  mcpSessions: gauge('agentgateway_mcp_sessions', 'Sessions of MCP clients that are open.', ['backend']),
  mcpServerUp: gauge(
    'agentgateway_mcp_server_up',
    '1 if the MCP server could be used the last time, 0 if not.',
    ['backend', 'server'],
  ),
  mcpChildProcesses: gauge('agentgateway_mcp_child_processes', 'Child processes that run as MCP servers.', [
    'server',
  ]),
  endpointHealthy: gauge(
    'agentgateway_upstream_endpoint_healthy',
    '1 if the endpoint of a backend with a health policy gets requests, 0 if it is left out.',
    ['backend', 'endpoint'],
  ),
  endpointsLeftOut: counter(
    'agentgateway_upstream_ejections',
    'Times that an endpoint of a backend was left out, for what calls or checks have shown.',
    ['backend', 'cause'],
  ),
  configSynchronized: gauge(
    'agentgateway_config_synchronized',
    '1 if the newest configuration is in force, 0 if it was refused.',
  ),
  exchangesInFlight: gauge('agentgateway_exchanges_in_flight', 'Requests that have not ended.'),
  traceWatchers: gauge('agentgateway_trace_watchers', 'Streams of /debug/trace that are open.'),
  traceEventsDropped: counter('agentgateway_trace_events_dropped', 'Events that slow watchers lost.'),
  logLinesDropped: counter(
    'agentgateway_log_lines_dropped',
    'Lines that were lost because the reader of the log does not keep up.',
  ),
  guardChecks: counter(
    'agentgateway_guardrail_checks',
    'Checks of guards of conversations with language models.',
    ['phase', 'action'],
  ),
  evictions: counter(
    'agentgateway_evictions',
    'Entries dropped from a bounded cache to make room for others.',
    ['cache'],
  ),
  seriesOverflow: counter(
    'agentgateway_series_overflow',
    'Requests not counted by their own labels because there are too many series.',
  ),
  eventLoopLag: gauge(
    'agentgateway_event_loop_lag_seconds',
    'Worst delay of the event loop in the last 15 seconds.',
  ),
  eventLoopUtilization: gauge(
    'agentgateway_event_loop_utilization',
    'Share of time the event loop was busy since the last scrape, 0 to 1.',
  ),
  processRss: gauge('agentgateway_process_rss', 'Resident memory, in bytes.'),
  processHeapUsed: gauge('agentgateway_process_heap_used', 'JavaScript heap in use, in bytes.'),
  processHeapTotal: gauge('agentgateway_process_heap_total', 'JavaScript heap reserved, in bytes.'),
  processExternal: gauge('agentgateway_process_external', 'Memory of buffers outside the heap, in bytes.'),
  processCpu: counter('agentgateway_process_cpu_seconds', 'CPU time, user and system.'),
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** Whether a name in `config.metrics.remove` refers to a metric: prefix, `_total` and unit may be omitted. */
export const isMetricNamed = ({ name }: MetricDefinition, searched: string): boolean =>
  bareName(name) === bareName(searched)

const bareName = (name: string): string =>
  name
    .replace(/^agentgateway_/, '')
    .replace(/_(total|info)$/, '')
    .replace(/_(seconds|bytes)$/, '')

function counter(name: string, help: string, labels: readonly string[] = []) {
  return { name, type: 'counter', help, labels } as const
}

function gauge(name: string, help: string, labels: readonly string[] = []) {
  return { name, type: 'gauge', help, labels } as const
}

function info(name: string, help: string, labels: readonly string[]) {
  return { name, type: 'info', help, labels } as const
}

function histogram(name: string, help: string, labels: readonly string[], buckets: readonly number[]) {
  return { name, type: 'histogram', help, labels, buckets } as const
}
