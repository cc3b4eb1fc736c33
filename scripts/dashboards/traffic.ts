import { type Dashboard, quantile, rate, SELECTOR } from './panel.ts'

const requests = 'agentgateway_requests_total'
const duration = 'agentgateway_request_duration_seconds'
const failed = `${SELECTOR}, status=~"5.."`

/** Requests, latency, backends and connections. */
export const trafficDashboard: Dashboard = {
  uid: 'agentgateway-traffic',
  title: 'agentgateway / Traffic',
  description: 'Requests through the gateway: how many, how fast, what fails and where.',
  variables: ['gateway', 'route'],
  variableMetric: requests,
  sections: [
    {
      title: 'At a glance',
      panels: [
        {
          ...{ title: 'Requests', unit: 'reqps', type: 'stat', width: 6 },
          description: 'Requests answered in a second.',
          queries: [{ expr: rate(requests, []), legend: 'requests' }],
        },
        {
          ...{ title: 'Errors', unit: 'percentunit', type: 'stat', width: 6, thresholds: [0.01, 0.05] },
          description:
            'Share of requests with a status of 500 or above. The panel “Errors by reason” says whether the gateway or an upstream failed.',
          queries: [
            { expr: `(${rate(requests, [], failed)} or vector(0)) / ${rate(requests, [])}`, legend: '5xx' },
          ],
        },
        {
          ...{ title: 'Latency, 99th percentile', unit: 's', type: 'stat', width: 6 },
          description:
            'From the head of a request to the last byte of its reply. Streams count until their end.',
          queries: [{ expr: quantile(0.99, duration, []), legend: 'p99' }],
        },
        {
          ...{ title: 'In flight', unit: 'short', type: 'stat', width: 6 },
          description:
            'Requests that have not ended, of all routes. At the limit of admission new ones get 503.',
          queries: [{ expr: 'sum (agentgateway_exchanges_in_flight{job=~"$job"})', legend: 'requests' }],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          ...{ title: 'By route', unit: 'reqps', isStacked: true },
          description:
            'A route named overflow means that there are more series than config.metrics.maxSeries.',
          queries: [{ expr: rate(requests, ['route']), legend: '{{route}}' }],
        },
        {
          ...{ title: 'By status', unit: 'reqps', isStacked: true },
          description: 'The status unknown means that the client left before there was a response.',
          queries: [{ expr: rate(requests, ['status']), legend: '{{status}}' }],
        },
        {
          ...{ title: 'Errors by reason', unit: 'reqps', isStacked: true },
          description:
            'Replies with a status of 400 or above, by the reason of the access log. Upstream: the upstream sent it; any other word names what the gateway did.',
          queries: [
            {
              expr: rate(requests, ['reason', 'status'], `${SELECTOR}, status=~"[45].."`),
              legend: '{{reason}} {{status}}',
            },
          ],
        },
        {
          ...{ title: 'Bytes of replies', unit: 'Bps' },
          description: 'Bodies sent to clients, by route.',
          queries: [{ expr: rate('agentgateway_response_bytes_total', ['route']), legend: '{{route}}' }],
        },
      ],
    },
    {
      title: 'Latency',
      panels: [
        {
          ...{ title: 'Percentiles', unit: 's' },
          description: 'Total time of requests. Points are exemplars: requests with a sampled trace.',
          queries: [0.5, 0.95, 0.99].map((q) => ({
            expr: quantile(q, duration, []),
            legend: `p${q * 100}`,
            exemplars: true,
          })),
        },
        {
          ...{ title: 'Distribution', unit: 's', type: 'heatmap' },
          description: 'Requests by duration. Two bands mean two kinds of requests, or a cache.',
          queries: [
            {
              expr: `sum by (le) (increase(${duration}_bucket{${SELECTOR}}[$__rate_interval]))`,
              legend: '{{le}}',
            },
          ],
        },
        {
          ...{ title: '95th percentile by route', unit: 's' },
          description: 'Which route is slow. Streams and long calls belong to routes of their own.',
          queries: [{ expr: quantile(0.95, duration, ['route']), legend: '{{route}}' }],
        },
        {
          ...{ title: 'Time in the gateway, 99th percentile', unit: 's' },
          description:
            'Before the call of the upstream (policies, callouts, reading of bodies) and after its response. If it is high while the upstream is fast, look at callouts and at the event loop.',
          queries: [
            {
              expr: quantile(0.99, 'agentgateway_request_processing_seconds', []),
              legend: 'before the upstream',
            },
            {
              expr: quantile(0.99, 'agentgateway_response_processing_seconds', []),
              legend: 'after the upstream',
            },
          ],
        },
        {
          ...{ title: 'Calls of the gateway, 95th percentile', unit: 's' },
          description:
            'Until the head of the response: Primary are the calls of requests, Policy the callouts of policies, Mirror copies. Not filtered by route.',
          queries: [
            {
              expr: quantile(
                0.95,
                'agentgateway_upstream_call_duration_seconds',
                ['kind', 'subtype'],
                'job=~"$job"',
              ),
              legend: '{{kind}} {{subtype}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Backends',
      panels: [
        {
          ...{ title: 'Requests by backend', unit: 'reqps' },
          description: 'The backend that was called last; unknown means that none was.',
          queries: [{ expr: rate(requests, ['backend']), legend: '{{backend}}' }],
        },
        {
          ...{ title: 'Errors by backend', unit: 'percentunit', thresholds: [0.01, 0.05] },
          description: 'Share of requests of each backend that ended with 500 or above.',
          queries: [
            {
              expr: `${rate(requests, ['backend'], failed)} / ${rate(requests, ['backend'])}`,
              legend: '{{backend}}',
            },
          ],
        },
        {
          ...{ title: 'Retries', unit: 'cps' },
          description:
            'Calls after the first one of a request. Many retries multiply the load of an upstream that fails.',
          queries: [{ expr: rate('agentgateway_retries_total', ['backend']), legend: '{{backend}}' }],
        },
        {
          ...{ title: 'Endpoints that get no requests', unit: 'short', thresholds: [1, 2] },
          description:
            'Endpoints that failing calls or checks have taken out. /config_dump says since when and why.',
          queries: [
            {
              expr: 'sum by (backend) (agentgateway_upstream_endpoint_healthy{job=~"$job"} == bool 0)',
              legend: '{{backend}}',
            },
          ],
        },
        {
          ...{ title: 'Ejections', unit: 'short' },
          description: 'How often endpoints were taken out, by failing calls or by failing checks.',
          queries: [
            {
              expr: 'sum by (backend, cause) (increase(agentgateway_upstream_ejections_total{job=~"$job"}[$__rate_interval]))',
              legend: '{{backend}} {{cause}}',
            },
          ],
        },
        {
          ...{ title: 'Connecting, 95th percentile', unit: 's' },
          description: 'Time to open a connection to an upstream, with its TLS handshake.',
          queries: [
            {
              expr: quantile(
                0.95,
                'agentgateway_upstream_connect_duration_seconds',
                ['transport'],
                'job=~"$job"',
              ),
              legend: '{{transport}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Connections of clients',
      panels: [
        {
          ...{ title: 'New connections', unit: 'cps' },
          description:
            'Connections accepted, by listener and protocol. As many as requests means that clients do not keep them.',
          queries: [
            {
              expr: rate('agentgateway_downstream_connections_total', ['bind', 'protocol'], 'job=~"$job"'),
              legend: '{{bind}} {{protocol}}',
            },
          ],
        },
        {
          ...{ title: 'Bytes', unit: 'Bps' },
          description: 'Bytes on the sockets of clients, counted when connections close.',
          queries: [
            {
              expr: rate('agentgateway_downstream_received_bytes_total', ['bind'], 'job=~"$job"'),
              legend: '{{bind}} received',
            },
            {
              expr: rate('agentgateway_downstream_sent_bytes_total', ['bind'], 'job=~"$job"'),
              legend: '{{bind}} sent',
            },
          ],
        },
        {
          ...{ title: 'TLS handshakes, 95th percentile', unit: 's' },
          description: 'Slow handshakes come from slow clients or from a busy event loop.',
          queries: [
            {
              expr: quantile(0.95, 'agentgateway_tls_handshake_duration_seconds', ['bind'], 'job=~"$job"'),
              legend: '{{bind}}',
            },
          ],
        },
      ],
    },
  ],
}
