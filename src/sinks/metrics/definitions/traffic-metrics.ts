import { counterOf, gaugeOf, histogramOf, requestBuckets, routeLabelNames } from './metric-definition.ts'

const exchange = ['backend', 'protocol', 'method', 'status', 'reason', ...routeLabelNames]
const connection = ['bind', 'gateway', 'listener', 'protocol']

const processing = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25]
const connecting = [0.0005, 0.0015, 0.0043, 0.0126, 0.0368, 0.108, 0.316, 0.924, 2.71, 8]

/** Metrics of requests, connections and upstreams. */
export const trafficMetrics = {
  requests: counterOf('agentgateway_requests', 'Requests answered.', exchange),
  retries: counterOf(
    'agentgateway_retries',
    'Calls to an upstream after the first one of a request.',
    exchange,
  ),
  responseBytes: counterOf('agentgateway_response_bytes', 'Bytes of bodies sent to clients.', exchange),
  requestDuration: histogramOf(
    'agentgateway_request_duration_seconds',
    'From the head of a request to the last byte of its answer.',
    exchange,
    requestBuckets,
  ),
  requestProcessing: histogramOf(
    'agentgateway_request_processing_seconds',
    'From the head of a request to the first call to its upstream.',
    ['backend', ...routeLabelNames],
    processing,
  ),
  responseProcessing: histogramOf(
    'agentgateway_response_processing_seconds',
    'From the head of an upstream’s answer, or what else of it had to be waited for, to the head for the client.',
    ['backend', ...routeLabelNames],
    processing,
  ),
  downstreamConnections: counterOf(
    'agentgateway_downstream_connections',
    'Connections accepted from clients.',
    connection,
  ),
  downstreamReceivedBytes: counterOf(
    'agentgateway_downstream_received_bytes',
    'Bytes received on connections of clients, counted when they close.',
    connection,
  ),
  downstreamSentBytes: counterOf(
    'agentgateway_downstream_sent_bytes',
    'Bytes sent on connections of clients, counted when they close.',
    connection,
  ),
  datagramsDropped: counterOf(
    'agentgateway_udp_datagrams_dropped',
    'Datagrams that were not passed on, by reason.',
    ['bind', 'gateway', 'listener', 'reason'],
  ),
  tlsHandshake: histogramOf(
    'agentgateway_tls_handshake_duration_seconds',
    'TLS handshakes with clients.',
    connection,
    connecting,
  ),
  upstreamConnect: histogramOf(
    'agentgateway_upstream_connect_duration_seconds',
    'Time to connect to an upstream, with its TLS handshake.',
    ['transport'],
    connecting,
  ),
  upstreamCall: histogramOf(
    'agentgateway_upstream_call_duration_seconds',
    'From a call made by the gateway to the head of its answer, or to its failure.',
    ['kind', 'subtype'],
    requestBuckets,
  ),
  endpointHealthy: gaugeOf(
    'agentgateway_upstream_endpoint_healthy',
    '1 if the endpoint of a backend with a health policy, or a provider, gets requests, 0 if it is left out.',
    'min',
    ['backend', 'endpoint'],
  ),
  endpointsLeftOut: counterOf(
    'agentgateway_upstream_ejections',
    'Times that an endpoint of a backend was left out, for what calls or checks have shown.',
    ['backend', 'cause'],
  ),
} as const
