import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import { type MetricDefinition, metricDefinitions } from './definitions.ts'

/** Where it is known how it stands with MCP servers and the sessions of their clients. */
export interface McpSource {
  readonly targets: readonly McpTargetStatus[]
  /** Sessions that are open, by backend. */
  readonly sessions: ReadonlyMap<string, number>
}

/** Registers what is read of MCP when somebody scrapes. */
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
        // What was there the last time may have left the configuration.
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
