import { type Dashboard, quantile, rate, SELECTOR } from './panel.ts'

const requests = 'agentgateway_mcp_requests_total'

/** Clients, servers and tools of MCP. */
export const mcpDashboard: Dashboard = {
  uid: 'agentgateway-mcp',
  title: 'agentgateway / MCP',
  description: 'MCP clients and servers: sessions, requests by method and tool, and the state of servers.',
  variables: ['gateway', 'route'],
  variableMetric: requests,
  sections: [
    {
      title: 'At a glance',
      panels: [
        {
          ...{ title: 'Requests', unit: 'reqps', type: 'stat' },
          description: 'Requests and notifications of clients in a second.',
          queries: [{ expr: rate(requests, []), legend: 'requests' }],
        },
        {
          ...{ title: 'Sessions', unit: 'short', type: 'stat' },
          description: 'Open sessions. They end after config.mcp.sessionTtl without requests.',
          queries: [{ expr: 'sum (agentgateway_mcp_sessions{job=~"$job"})', legend: 'sessions' }],
        },
        {
          ...{ title: 'Servers that fail', unit: 'short', type: 'stat', thresholds: [1, 2] },
          description: 'Servers that could not be used the last time. The log has the error.',
          queries: [{ expr: 'sum (agentgateway_mcp_server_up{job=~"$job"} == bool 0)', legend: 'servers' }],
        },
      ],
    },
    {
      title: 'Clients',
      panels: [
        {
          ...{ title: 'Requests by method', unit: 'reqps', isStacked: true },
          description: 'Many initialize requests mean clients that do not keep their sessions.',
          queries: [{ expr: rate(requests, ['method']), legend: '{{method}}' }],
        },
        {
          ...{ title: 'Tool calls', unit: 'reqps', isStacked: true },
          description:
            'The twenty tools that are called most. A name appears once its server has responded to it.',
          queries: [
            {
              expr: `topk(20, ${rate(requests, ['server', 'resource'], `${SELECTOR}, method="tools/call"`)})`,
              legend: '{{server}} {{resource}}',
            },
          ],
        },
        {
          ...{ title: 'Refused requests', unit: 'reqps', isStacked: true },
          description:
            'HTTP statuses of 400 or above: tokens, sessions, formats. Errors of tools have status 200.',
          queries: [
            {
              expr: rate(
                'agentgateway_requests_total',
                ['status', 'reason'],
                `${SELECTOR}, protocol=~"mcp|unknown", status=~"[45].."`,
              ),
              legend: '{{status}} {{reason}}',
            },
          ],
        },
        {
          ...{ title: 'Sessions by backend', unit: 'short' },
          description: 'A steady rise without more users is a client that leaks sessions.',
          queries: [
            { expr: 'sum by (backend) (agentgateway_mcp_sessions{job=~"$job"})', legend: '{{backend}}' },
          ],
        },
      ],
    },
    {
      title: 'Servers',
      panels: [
        {
          ...{ title: 'State', unit: 'short' },
          description: '1 if the server could be used the last time, 0 if not.',
          queries: [
            {
              expr: 'min by (backend, server) (agentgateway_mcp_server_up{job=~"$job"})',
              legend: '{{backend}} {{server}}',
            },
          ],
        },
        {
          ...{ title: 'Duration of calls', unit: 's' },
          description: 'From a message to a server to its outcome, of all servers.',
          queries: [0.5, 0.95].map((q) => ({
            expr: quantile(
              q,
              'agentgateway_upstream_call_duration_seconds',
              [],
              'job=~"$job", subtype="Mcp"',
            ),
            legend: `p${q * 100}`,
          })),
        },
        {
          ...{ title: 'Child processes', unit: 'short' },
          description: 'Processes of stdio servers. Limits: config.mcp.maxPrograms and maxProgramsPerTarget.',
          queries: [
            { expr: 'sum by (server) (agentgateway_mcp_child_processes{job=~"$job"})', legend: '{{server}}' },
          ],
        },
        {
          ...{ title: 'Lost messages of servers', unit: 'cps' },
          description: 'Notifications that were dropped because no client listened for long.',
          queries: [
            {
              expr: rate('agentgateway_queue_dropped_total', [], 'job=~"$job", queue="mcp_messages"'),
              legend: 'messages',
            },
          ],
        },
      ],
    },
  ],
}
