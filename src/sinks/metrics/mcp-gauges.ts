import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import { type MetricDefinition, metricDefinitions } from './definitions.ts'

/** Statuses of MCP servers and numbers of client sessions. */
export interface McpSource {
  readonly targets: readonly McpTargetStatus[]
  /** Number of open sessions, by backend. */
  readonly sessions: ReadonlyMap<string, number>
}

/** Registers the MCP gauges, which are read at each scrape. */
export const registerMcpGauges = (registry: Registry<OpenMetricsContentType>, source: McpSource): void => {
  const gauge = (
    { name, help, labels }: MetricDefinition,
    read: () => Iterable<readonly [Record<string, string>, number]>,
  ) => {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        // Targets may have left the configuration since the last scrape.
        this.reset()
        for (const [values, value] of read()) this.set(values, value)
      },
    })
  }
  gauge(metricDefinitions.mcpSessions, () =>
    [...source.sessions].map(([backend, count]) => [{ backend }, count] as const),
  )
  gauge(metricDefinitions.mcpChildProcesses, () =>
    source.targets.flatMap(({ target, children }) =>
      children === undefined ? [] : [[{ server: target }, children] as const],
    ),
  )
  gauge(metricDefinitions.mcpServerUp, () =>
    source.targets.flatMap(({ backend, target, state }) =>
      state === 'unknown' ? [] : [[{ backend, server: target }, state === 'well' ? 1 : 0] as const],
    ),
  )
}
