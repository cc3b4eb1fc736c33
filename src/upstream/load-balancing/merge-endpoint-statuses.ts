import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'

/**
 * One status of several of the same endpoint: those of connections with different policies, or of several processes.
 * Counts are added, latency and score are averages weighted by requests, and the worst state is the state.
 */
export const mergeEndpointStatuses = (a: EndpointStatus, b: EndpointStatus): EndpointStatus => {
  const worse = badness[b.state] > badness[a.state] ? b : a
  return {
    ...worse,
    isSupervised: a.isSupervised || b.isSupervised,
    score: average(a, b, (one) => one.score) ?? 1,
    pending: a.pending + b.pending,
    requests: a.requests + b.requests,
    failures: a.failures + b.failures,
    consecutiveFailures: Math.max(a.consecutiveFailures, b.consecutiveFailures),
    evictions: a.evictions + b.evictions,
    latencyMs: average(a, b, (one) => one.latencyMs),
  }
}

/** What distinguishes endpoints in reports. */
export const endpointKey = ({ backend, endpoint }: Pick<EndpointStatus, 'backend' | 'endpoint'>): string =>
  JSON.stringify([backend, endpoint])

const badness = { healthy: 0, evicted: 1, unhealthy: 2 } as const

const average = (
  a: EndpointStatus,
  b: EndpointStatus,
  of: (one: EndpointStatus) => number | undefined,
): number | undefined => {
  const [first, second] = [of(a), of(b)]
  if (first === undefined || second === undefined) return first ?? second
  // An endpoint without requests counts as one, so that two of them have an average.
  const [left, right] = [Math.max(a.requests, 1), Math.max(b.requests, 1)]
  return (first * left + second * right) / (left + right)
}
