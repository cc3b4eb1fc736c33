import { performance } from 'node:perf_hooks'
import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import { metricDefinitions, type MetricDefinition } from './definitions.ts'

/** Values read from other parts at each scrape. */
export interface MetricSources {
  readonly exchangesInFlight?: () => number
  readonly traceWatchers?: () => number
  readonly eventLoopLagSeconds?: () => number
  readonly mcp?: McpSource
  readonly endpoints?: EndpointsSource
}

/** Returns the statuses of endpoints. */
type EndpointsSource = () => readonly EndpointStatus[]

/** Statuses of MCP servers and numbers of client sessions. */
interface McpSource {
  readonly targets: readonly McpTargetStatus[]
  /** Number of open sessions, by backend. */
  readonly sessions: ReadonlyMap<string, number>
}

/** Registers the metrics that are read at each scrape. */
export const registerProcessMetrics = (
  registry: Registry<OpenMetricsContentType>,
  sources: MetricSources,
): void => {
  if (sources.mcp) registerMcpGauges(registry, sources.mcp)
  if (sources.endpoints) registerEndpointGauge(registry, sources.endpoints)
  const registers = [registry]
  const gauge = ({ name, help }: { readonly name: string; readonly help: string }, read?: () => number) => {
    if (!read) return
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  gauge(metricDefinitions.exchangesInFlight, sources.exchangesInFlight)
  gauge(metricDefinitions.traceWatchers, sources.traceWatchers)
  gauge(metricDefinitions.eventLoopLag, sources.eventLoopLagSeconds)

  let last = performance.eventLoopUtilization()
  gauge(metricDefinitions.eventLoopUtilization, () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  })
  gauge(metricDefinitions.processRss, () => process.memoryUsage.rss())
  gauge(metricDefinitions.processHeapUsed, () => process.memoryUsage().heapUsed)
  gauge(metricDefinitions.processHeapTotal, () => process.memoryUsage().heapTotal)
  gauge(metricDefinitions.processExternal, () => process.memoryUsage().external)

  const { name, help } = metricDefinitions.processCpu
  new Counter({
    name: `${name}_total`,
    help,
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
}

/** Maximum number of endpoint series; beyond it healthy endpoints are omitted first. */
const MAX_ENDPOINT_SERIES = 1_000

/** Registers the endpoint gauge, which reads statuses at each scrape. */
const registerEndpointGauge = (registry: Registry<OpenMetricsContentType>, source: EndpointsSource): void => {
  const { name, help, labels } = metricDefinitions.endpointHealthy
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      // Endpoints may have left the configuration since the last scrape.
      this.reset()
      for (const { backend, endpoint, state } of shownOf(source()))
        this.set({ backend, endpoint }, state === 'healthy' ? 1 : 0)
    },
  })
}

const shownOf = (all: readonly EndpointStatus[]): readonly EndpointStatus[] => {
  if (all.length <= MAX_ENDPOINT_SERIES) return all
  const isOut = ({ state }: EndpointStatus) => state !== 'healthy'
  return [...all.filter(isOut), ...all.filter((one) => !isOut(one))].slice(0, MAX_ENDPOINT_SERIES)
}

/** Registers the MCP gauges, which are read at each scrape. */
const registerMcpGauges = (registry: Registry<OpenMetricsContentType>, source: McpSource): void => {
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
