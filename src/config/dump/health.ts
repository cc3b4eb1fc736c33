import type { EndpointStatus } from '../../model/resources/endpoint-status.ts'
import type { Printed } from './value.ts'

/** The state of an endpoint, as dumps print it. */
export function dumpHealth(status: EndpointStatus): Printed {
  const { backend, endpoint, state, reason, sinceMs, untilMs, score, pending } = status
  return {
    backend,
    endpoint,
    state,
    ...(reason === undefined ? {} : { reason }),
    since: new Date(sinceMs).toISOString(),
    ...(untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() }),
    score,
    pending,
  }
}
