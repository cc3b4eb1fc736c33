import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { ProcessReport } from '../process-report.ts'
import { mergeByKey } from './merge-by-key.ts'

/** The status of the MCP servers, and the counts and latencies of calls to them. */
export const mcpTargetsReport = (
  targets: () => readonly McpTargetStatus[],
): ProcessReport<readonly McpTargetStatus[]> => ({
  name: 'mcp targets',
  collect: targets,
  merge: (reports) => mergeByKey(reports, keyOf, mergeTargets),
})

const keyOf = ({ backend, target }: McpTargetStatus): string => JSON.stringify([backend, target])

/** A server that one process cannot use is failing; else what the other has found out counts. */
const mergeTargets = (a: McpTargetStatus, b: McpTargetStatus): McpTargetStatus => {
  const main = rank[b.state] > rank[a.state] ? b : a
  const other = main === a ? b : a
  const collisions = [...new Set([...(a.collisions ?? []), ...(b.collisions ?? [])])]
  const longLists = { ...a.longLists, ...b.longLists }
  return {
    ...main,
    revision: main.revision ?? other.revision,
    legacy: main.legacy ?? other.legacy,
    modern: main.modern ?? other.modern,
    children: a.children === undefined ? b.children : a.children + (b.children ?? 0),
    requests: a.requests + b.requests,
    failures: a.failures + b.failures,
    latencyMs: averageLatency(a, b),
    ...(collisions.length > 0 && { collisions }),
    ...(Object.keys(longLists).length > 0 && { longLists }),
  }
}

const rank = { unknown: 0, well: 1, failing: 2 } as const

const averageLatency = (a: McpTargetStatus, b: McpTargetStatus): number | undefined => {
  if (a.latencyMs === undefined || b.latencyMs === undefined) return a.latencyMs ?? b.latencyMs
  return (a.latencyMs * a.requests + b.latencyMs * b.requests) / Math.max(1, a.requests + b.requests)
}
