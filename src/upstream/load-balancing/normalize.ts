import type {
  ActiveCheck,
  CheckProbe,
  GrpcCheck,
  HealthPolicy,
  HttpCheck,
  LoadBalancing,
} from './schema/normal-form.ts'
import { defaults } from '../../config/defaults.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { milliseconds, timerMilliseconds } from '../../config/normalize/context.ts'
import { definedFields, given } from '../../config/normalize/optional-fields.ts'

/** Which responses count as failures of an endpoint. */
export function health({ unhealthyExpression, eviction }: File.Health): HealthPolicy {
  return definedFields<HealthPolicy>({
    unhealthyExpression,
    eviction: given(eviction, ({ duration, restoreHealth, consecutiveFailures, healthThreshold }) =>
      definedFields<NonNullable<HealthPolicy['eviction']>>({
        durationMs: given(duration, milliseconds),
        restoreHealth,
        consecutiveFailures,
        healthThreshold,
      }),
    ),
  })
}

/** The same for backends with known endpoints, and their active checks. */
export function backendHealth({
  active,
  panicThreshold,
  slowStart,
  ...passive
}: File.BackendHealth): HealthPolicy {
  return definedFields<HealthPolicy>({
    ...health(passive),
    active: given(active, activeCheck),
    panicThreshold,
    slowStartMs: given(slowStart, milliseconds),
  })
}

/** The load balancing policy. */
export function loadBalancing({ ringHash, leastRequest, random }: File.LoadBalancing): LoadBalancing {
  if (ringHash) return { ringHash }
  if (leastRequest) return { leastRequest }
  return random ? { random } : { roundRobin: {} }
}

const usual = defaults.health.active

function activeCheck(written: NonNullable<File.BackendHealth['active']>): ActiveCheck {
  return {
    ...probe(written),
    intervalMs: timerMilliseconds(written.interval ?? usual.interval),
    timeoutMs: timerMilliseconds(written.timeout ?? usual.timeout),
    healthyThreshold: written.healthyThreshold ?? usual.healthyThreshold,
    unhealthyThreshold: written.unhealthyThreshold ?? usual.unhealthyThreshold,
  }
}

function probe({ http, grpc }: NonNullable<File.BackendHealth['active']>): CheckProbe {
  if (http)
    return {
      http: definedFields<HttpCheck>({
        path: http.path ?? usual.path,
        expect: (http.expect ?? [usual.expect]).map(String),
        host: http.host,
      }),
    }
  return grpc ? { grpc: definedFields<GrpcCheck>({ service: grpc.service, host: grpc.host }) } : { tcp: {} }
}
