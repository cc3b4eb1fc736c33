import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { BackendCounts, CallCountsReport } from './call-counts.ts'
import type { Supervised } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'
import { endpointKey, mergeEndpointStatuses } from './merge-endpoint-statuses.ts'

/** What requests of a backend can go to. */
export interface Reported {
  /** Name of the backend, as in logs. */
  readonly backend: string
  /** Addresses, or one that has a name of its own, such as a provider. */
  readonly endpoints: Endpoints | Supervised
  readonly isSupervised: boolean
  /** The counts of an endpoint; its own, if it has a name. */
  readonly counts: Pick<BackendCounts, 'of'>
}

/** The statuses of endpoints, once for each name of a backend that leads to them. */
export const healthReport = (all: Iterable<Reported>, now: number): readonly EndpointStatus[] => {
  const report = new HealthReport(now)
  for (const one of all) report.add(one)
  return report.statuses
}

/** A report that is put together little by little. */
export class HealthReport {
  readonly #now: number
  readonly #all = new Map<string, { readonly seen: Set<Supervised>; status: EndpointStatus }>()

  constructor(now: number) {
    this.#now = now
  }

  /** Several routes may lead to one endpoint: it counts once. */
  add({ backend, endpoints, isSupervised, counts }: Reported): void {
    for (const endpoint of membersOf(endpoints, this.#now)) {
      const key = endpointKey({ backend, endpoint: endpoint.name })
      const entry = this.#all.get(key)
      if (entry?.seen.has(endpoint)) continue
      const status = endpointStatusOf(endpoint, this.#now, {
        backend,
        isSupervised,
        counts: counts.of(endpoint).report,
      })
      if (!entry) this.#all.set(key, { seen: new Set([endpoint]), status })
      else {
        entry.seen.add(endpoint)
        entry.status = mergeEndpointStatuses(entry.status, status)
      }
    }
  }

  get statuses(): EndpointStatus[] {
    return Array.from(this.#all.values(), ({ status }) => status)
  }
}

/** The endpoints, or the name while it has no addresses. */
export const membersOf = (endpoints: Endpoints | Supervised, now: number): readonly Supervised[] => {
  if ('health' in endpoints) return [endpoints]
  const { unresolved } = endpoints
  return endpoints.current(now) ?? (unresolved ? [unresolved] : [])
}

/** The status of an endpoint of a backend. */
export const endpointStatusOf = (
  { name, health }: Supervised,
  now: number,
  {
    backend,
    isSupervised,
    counts,
  }: Pick<Reported, 'backend' | 'isSupervised'> & { readonly counts: CallCountsReport },
): EndpointStatus => {
  const { state, reason, since, until, score, consecutiveFailures, evictions } = health.state(now)
  return {
    backend,
    endpoint: name,
    isSupervised,
    state,
    reason,
    sinceMs: onTheClock(since),
    untilMs: until === undefined ? undefined : onTheClock(until),
    score: rounded(score),
    pending: health.pending,
    requests: counts.requests,
    failures: counts.failures,
    consecutiveFailures,
    evictions,
    latencyMs: counts.latencyMs === undefined ? undefined : rounded(counts.latencyMs),
  }
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** Converts a monotonic time of the process to milliseconds since the epoch. */
const onTheClock = (ms: number): number => Math.round(performance.timeOrigin + ms)
