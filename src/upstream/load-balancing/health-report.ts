import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { Destination } from '../destinations.ts'
import type { Supervised } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'

/** The status of destinations' endpoints, once for each name that leads to them. */
export const healthReport = (
  destinations: readonly Destination[],
  now: number,
): readonly EndpointStatus[] => {
  const all = new Map<string, EndpointStatus>()
  for (const { labels, endpoints } of destinations)
    for (const endpoint of membersOf(endpoints, now)) {
      const key = JSON.stringify([labels.name, endpoint.name])
      // Where two policies disagree about an endpoint, the unhealthy status is reported.
      if ((all.get(key)?.state ?? 'healthy') === 'healthy')
        all.set(key, endpointStatusOf(endpoint, labels.name, now))
    }
  return [...all.values()]
}

/** The endpoints, or the name while it has no addresses. */
export const membersOf = (endpoints: Endpoints, now: number): readonly Supervised[] => {
  const { unresolved } = endpoints
  return endpoints.current(now) ?? (unresolved ? [unresolved] : [])
}

/** @param backend The name that leads to it. */
export const endpointStatusOf = (
  { name, health }: Supervised,
  backend: string,
  now: number,
): EndpointStatus => {
  const { state, reason, since, until, score } = health.state(now)
  return {
    backend,
    endpoint: name,
    state,
    reason,
    sinceMs: onTheClock(since),
    untilMs: until === undefined ? undefined : onTheClock(until),
    score: Math.round(score * 1_000) / 1_000,
    pending: health.pending,
  }
}

/** Converts a monotonic time of the process to milliseconds since the epoch. */
const onTheClock = (ms: number): number => Math.round(performance.timeOrigin + ms)
