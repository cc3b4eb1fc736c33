import { performance } from 'node:perf_hooks'
import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client'
import { metricDefinitions } from './definitions.ts'
import { type EndpointsSource, registerEndpointGauge } from './endpoint-gauge.ts'
import { type McpSource, registerMcpGauges } from './mcp-gauges.ts'

/** Values read from other parts at each scrape. */
export interface MetricSources {
  readonly exchangesInFlight?: () => number
  readonly traceWatchers?: () => number
  readonly eventLoopLagSeconds?: () => number
  readonly mcp?: McpSource
  readonly endpoints?: EndpointsSource
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
