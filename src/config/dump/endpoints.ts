import { formatDuration } from '../format/duration.ts'
import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { Workload } from '../../model/resources/service.ts'
import type { Printed } from './value.ts'

/** What a dump shows besides the configuration: the state of what requests go to. */
export interface DumpedStatus {
  /** By the name of the backend: its key, or the name of a service. */
  readonly endpoints: ReadonlyMap<string, readonly EndpointStatus[]>
  /** By the key of the backend, then by the name of the target. */
  readonly mcp: ReadonlyMap<string, ReadonlyMap<string, McpTargetStatus>>
}

/** The status of a gateway that has served nothing. */
export const noStatus: DumpedStatus = { endpoints: new Map(), mcp: new Map() }

/** Endpoints as dumps print them: those that get requests, and those that do not. */
export interface DumpedEndpoints {
  readonly active: Printed
  readonly rejected: Printed
}

/** One endpoint of a group, and what is known of its use. */
export interface DumpedEndpoint {
  readonly name: string
  /** Its configuration. */
  readonly endpoint: Printed
  /** Undefined if no configuration in force leads to it. */
  readonly info: Printed | undefined
  readonly isRejected: boolean
}

/** Equivalent endpoints, divided into those that get requests and the others. */
export function dumpGroup(endpoints: readonly DumpedEndpoint[]): DumpedEndpoints {
  const part = (isRejected: boolean) =>
    Object.fromEntries(
      endpoints
        .filter((one) => one.isRejected === isRejected)
        .map(({ name, endpoint, info }) => [name, { endpoint, ...(info && { info }) }]),
    )
  return { active: part(false), rejected: part(true) }
}

/** The addresses of a backend, as a field that is absent if no route leads to it. */
export function dumpAddresses(
  statuses: readonly EndpointStatus[] = [],
  workloads: ReadonlyMap<string, Workload> = new Map(),
): { readonly endpoints?: readonly DumpedEndpoints[] } {
  if (statuses.length === 0) return {}
  const endpoints = [
    dumpGroup(
      statuses.map((status) => {
        const workload = workloads.get(hostOf(status.endpoint))
        const endpoint = { ...(workload && { workloadUid: workload.uid }), name: status.endpoint }
        return { name: status.endpoint, endpoint, ...dumpUse(status) }
      }),
    ),
  ]
  return { endpoints }
}

/** The use and health of an endpoint, with the names of the reference implementation. */
export function dumpUse(
  status: EndpointStatus | undefined,
  now = Date.now(),
): Pick<DumpedEndpoint, 'info' | 'isRejected'> {
  if (!status) return { info: undefined, isRejected: false }
  const { state, reason, sinceMs, untilMs, score, latencyMs } = status
  const { pending, requests, failures, consecutiveFailures, evictions } = status
  const info = {
    health: score,
    requestLatency: (latencyMs ?? 0) / 1_000,
    pendingRequests: pending,
    totalRequests: requests,
    failedRequests: failures,
    consecutiveFailures,
    timesEjected: evictions,
    evictedUntil: untilMs === undefined ? null : formatDuration(Math.max(0, untilMs - now)),
    state,
    ...(reason !== undefined && { reason }),
    since: new Date(sinceMs).toISOString(),
  }
  return { info, isRejected: state !== 'healthy' }
}

/** The use of a target of MCP. Its server is never left out, and has no count of active calls. */
export function dumpTargetUse(
  status: McpTargetStatus | undefined,
): Pick<DumpedEndpoint, 'info' | 'isRejected'> {
  if (!status) return { info: undefined, isRejected: false }
  const { state, error, sinceMs, requests, failures, latencyMs } = status
  const info = {
    health: state === 'failing' ? 0 : 1,
    requestLatency: (latencyMs ?? 0) / 1_000,
    totalRequests: requests,
    failedRequests: failures,
    evictedUntil: null,
    state,
    ...(error !== undefined && { reason: error }),
    since: new Date(sinceMs).toISOString(),
  }
  return { info, isRejected: false }
}

/** An endpoint that can be taken out, as the list `health` prints it. */
export function dumpHealth(status: EndpointStatus): Printed {
  const { backend, endpoint, state, reason, sinceMs, untilMs, score, pending } = status
  const { requests, failures, latencyMs, evictions } = status
  return {
    backend,
    endpoint,
    state,
    ...(reason === undefined ? {} : { reason }),
    since: new Date(sinceMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    score,
    pending,
    requests,
    failures,
    ...(latencyMs === undefined ? {} : { latencySeconds: latencyMs / 1_000 }),
    evictions,
  }
}

/** The host of `host:port`, without the brackets of an IPv6 address. */
const hostOf = (endpoint: string): string => endpoint.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
