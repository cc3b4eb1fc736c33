import type { McpTargetStatus } from '../../../model/mcp/mcp-status.ts'
import type { EndpointStatus } from '../../../model/resources/endpoint-status.ts'
import type { MetricDefinition } from '../definitions/metric-definition.ts'
import { metricDefinitions } from '../definitions/metric-definitions.ts'
import { labelText } from '../exposition/label-text.ts'
import { familyParts } from '../report/family-parts.ts'
import type { FamilyPart } from '../report/metrics-report.ts'

/** Values read from other parts at each scrape. */
export interface MetricSources {
  readonly exchangesInFlight?: () => number
  readonly traceWatchers?: () => number
  readonly eventLoopLagSeconds?: () => number
  readonly mcp?: McpSource
  readonly endpoints?: () => readonly EndpointStatus[]
}

/** Statuses of MCP servers and numbers of client sessions. */
interface McpSource {
  readonly targets: readonly McpTargetStatus[]
  /** Number of open sessions, by backend. */
  readonly sessions: ReadonlyMap<string, number>
}

/** The gauges of sources. Targets and endpoints may have left the configuration since the last scrape. */
export function* sourceParts(sources: MetricSources): Generator<FamilyPart> {
  const { exchangesInFlight, traceWatchers, eventLoopLagSeconds, mcp, endpoints } = sources
  const single: readonly (readonly [MetricDefinition, (() => number) | undefined])[] = [
    [metricDefinitions.exchangesInFlight, exchangesInFlight],
    [metricDefinitions.traceWatchers, traceWatchers],
    [metricDefinitions.eventLoopLag, eventLoopLagSeconds],
  ]
  for (const [metric, read] of single) if (read) yield* familyParts(metric, [{ labels: '', value: read() }])
  if (mcp) yield* mcpParts(mcp)
  if (!endpoints) return
  const shown = shownOf(endpoints())
  yield* gaugeParts(
    metricDefinitions.endpointHealthy,
    shown.map(({ backend, endpoint, state }) => [[backend, endpoint], state === 'healthy' ? 1 : 0]),
  )
}

function* mcpParts({ sessions, targets }: McpSource): Generator<FamilyPart> {
  yield* gaugeParts(
    metricDefinitions.mcpSessions,
    Array.from(sessions, ([backend, count]) => [[backend], count]),
  )
  // Backends may have targets of one name.
  const children = new Map<string, number>()
  for (const { target, children: count } of targets)
    if (count !== undefined) children.set(target, (children.get(target) ?? 0) + count)
  yield* gaugeParts(
    metricDefinitions.mcpChildProcesses,
    Array.from(children, ([server, count]) => [[server], count]),
  )
  yield* gaugeParts(
    metricDefinitions.mcpServerUp,
    targets.flatMap(({ backend, target, state }) =>
      state === 'unknown' ? [] : [[[backend, target], state === 'well' ? 1 : 0] as const],
    ),
  )
}

/** Of series of equal labels the last one is shown: a scrape must not have two. */
const gaugeParts = (
  metric: MetricDefinition,
  values: readonly (readonly [labels: readonly string[], value: number])[],
): Generator<FamilyPart> => {
  const series = new Map<string, number>()
  for (const [labels, value] of values.slice(0, GAUGE_LIMIT))
    series.set(labelText(metric.labels, labels), value)
  return familyParts(
    metric,
    Array.from(series, ([labels, value]) => ({ labels, value })),
  )
}

/** Maximum number of series of a gauge; of endpoints, healthy ones are omitted first. */
const GAUGE_LIMIT = 1_000

const shownOf = (all: readonly EndpointStatus[]): readonly EndpointStatus[] => {
  if (all.length <= GAUGE_LIMIT) return all
  const isOut = ({ state }: EndpointStatus) => state !== 'healthy'
  return [...all.filter(isOut), ...all.filter((one) => !isOut(one))]
}
