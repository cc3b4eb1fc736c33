import { llmMetricDefinitions } from './llm-metric-definitions.ts'
import { mcpMetricDefinitions } from './mcp-metric-definitions.ts'
import type { MetricDefinition } from './metric-definition.ts'
import { processMetricDefinitions } from './process-metric-definitions.ts'
import { trafficMetrics } from './traffic-metrics.ts'

/** All metrics. Unknown label values are `unknown`, those beyond a limit `overflow`. */
export const metricDefinitions = {
  ...trafficMetrics,
  ...mcpMetricDefinitions,
  ...llmMetricDefinitions,
  ...processMetricDefinitions,
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** Whether a name in `config.metrics.remove` refers to a metric: prefix, `_total` and unit may be omitted. */
export const isMetricNamed = ({ name }: Pick<MetricDefinition, 'name'>, searched: string): boolean =>
  bareName(name) === bareName(searched)

const bareName = (name: string): string =>
  name
    .replace(/^agentgateway_/, '')
    .replace(/_(total|info)$/, '')
    .replace(/_(seconds|bytes)$/, '')
