import { counterOf, gaugeOf, routeLabelNames } from './metric-definition.ts'

/** Metrics of MCP clients and servers. */
export const mcpMetricDefinitions = {
  mcpRequests: counterOf('agentgateway_mcp_requests', 'Requests and notifications of MCP clients.', [
    'method',
    'resource_type',
    'server',
    'resource',
    ...routeLabelNames,
  ]),
  mcpSessions: gaugeOf('agentgateway_mcp_sessions', 'Sessions of MCP clients that are open.', 'sum', [
    'backend',
  ]),
  mcpServerUp: gaugeOf(
    'agentgateway_mcp_server_up',
    '1 if the MCP server could be used the last time, 0 if not.',
    'min',
    ['backend', 'server'],
  ),
  mcpChildProcesses: gaugeOf(
    'agentgateway_mcp_child_processes',
    'Child processes that run as MCP servers.',
    'sum',
    ['server'],
  ),
} as const
