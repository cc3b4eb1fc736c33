import { activeWork } from '../../model/introspection/active-work.ts'
import { cacheUsages, type CacheUsage } from '../../model/introspection/cache-usage.ts'
import { pageSums } from '../../sinks/metrics/process/page-sums.ts'
import type { Ports } from '../../streams/http/port/ports.ts'
import type { McpStatusRegistry } from '../../upstream/mcp/status-registry.ts'
import type { OpenStreams } from '../../upstream/mcp/open-streams.ts'
import type { UpstreamSockets } from '../../upstream/upstream-clients.ts'
import { initialMembers } from '../initial-members.ts'
import type { ProcessReport } from '../process-report.ts'
import { runInSlices, sliceEnd } from '../../model/event-loop/time-slicing.ts'
import { type DownstreamSockets, downstreamSockets, upstreamSockets } from './socket-counts.ts'
import { sumReports } from './sum-reports.ts'
import { type V8Memory, v8Memory } from './v8-memory.ts'

/** The memory of the processes, and what takes it. Bytes of memory have `Bytes` in their names; the rest are counts. */
export interface MemoryReport {
  readonly processes: number
  readonly rssBytes: number
  /** With shared pages counted in parts; null where the system does not report it. */
  readonly pssBytes: number | null
  readonly v8: V8Memory
  /** Active handles, requests and timers of Node by type; null with so many connections that counting would delay them. */
  readonly handles: Readonly<Record<string, number>> | null
  readonly exchanges: number
  readonly sockets: { readonly downstream: DownstreamSockets; readonly upstream: UpstreamSockets }
  readonly subscriptions: {
    readonly exchanges: number
    readonly traceWatchers: number
    readonly mcpStreams: number
  }
  readonly mcp: {
    readonly sessions: Readonly<Record<string, number>>
    readonly programs: Readonly<Record<string, number>>
  }
  readonly upstreamClients: { readonly http: number; readonly grpc: number }
  readonly caches: readonly CacheUsage[]
}

/** Sources of the counts. */
export interface MemorySources {
  readonly ports: Pick<Ports, 'active' | 'exchangesInFlight'>
  readonly mcp: {
    readonly statusRegistry: Pick<McpStatusRegistry, 'sessions'>
    readonly streams: Pick<OpenStreams, 'size'>
  }
}

/** The memory of each process; together, the sums. */
export const memoryReport = (sources: MemorySources): ProcessReport<MemoryReport> => ({
  name: 'memory',
  collect: async () => {
    const { pssBytes = null } = await pageSums.read()
    return runInSlices(collect(sources, pssBytes))
  },
  merge: sumReports,
})

function* collect({ ports, mcp }: MemorySources, pssBytes: number | null): Generator<unknown, MemoryReport> {
  const downstream = yield* downstreamSockets(ports.active)
  const { sockets: upstream, clients } = yield* upstreamSockets()
  const caches = yield* cacheUsages()
  const work = yield* countWork()
  // The rest cannot be divided.
  yield sliceEnd
  const open = Object.values(downstream).reduce((sum, count) => sum + count, upstream.open)
  const handles = open > MAX_HANDLES ? null : countByName(process.getActiveResourcesInfo())
  yield sliceEnd
  return {
    processes: 1,
    rssBytes: process.memoryUsage.rss(),
    pssBytes,
    v8: v8Memory(),
    handles,
    exchanges: ports.exchangesInFlight,
    sockets: { downstream, upstream },
    subscriptions: {
      exchanges: ports.exchangesInFlight,
      traceWatchers: work.traceWatchers,
      mcpStreams: mcp.streams.size,
    },
    mcp: { sessions: Object.fromEntries(mcp.statusRegistry.sessions), programs: work.programs },
    upstreamClients: clients,
    caches,
  }
}

/** Node makes a list of all handles in one go: up to a millisecond for 5,000 connections and their timers. */
const MAX_HANDLES = 5_000

function* countWork(): Generator<
  undefined,
  { readonly programs: Record<string, number>; readonly traceWatchers: number }
> {
  const programs: Record<string, number> = {}
  let traceWatchers = 0
  for (const { kind, name } of initialMembers(activeWork)) {
    if (kind === 'program') programs[name] = (programs[name] ?? 0) + 1
    else if (kind === 'trace watcher') traceWatchers++
    yield undefined
  }
  return { programs, traceWatchers }
}

const countByName = (names: readonly string[]): Record<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}
