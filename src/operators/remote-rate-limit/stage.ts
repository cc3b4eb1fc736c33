import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Conditional } from '../../model/policies.ts'
import type { RemoteRateLimit } from '../../model/remote-rate-limit.ts'
import { choose } from '../../operators/choose.ts'
import type { Phases } from '../../operators/phases.ts'
import { Turnstile } from '../../operators/turnstile.ts'
import { callService } from './call-service.ts'
import { grpcOperators } from './grpc-operators.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages of a shared limit, or of the first of several whose condition holds. */
export const remoteRateLimitStages = (
  policy: Conditional<RemoteRateLimit> | undefined,
  { http: { maxBufferBytes } }: FrontendPolicies,
  workshop: Workshop,
): Phases | undefined => {
  if (!policy) return undefined
  if (!('conditional' in policy)) return stages(policy, maxBufferBytes, workshop)
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    ...stages(rest, maxBufferBytes, workshop),
    when: condition === undefined ? undefined : workshop.expression(condition),
  }))
  return choose(choices, maxBufferBytes, true)
}

/** How long the service may take, unless its policies say something else. */
const TIME_OUT_MS = 2_000
/** How many requests may wait for one service. */
const WAITING_LIMIT = 1_024

const stages = (
  { service, domain, descriptors, failureMode }: RemoteRateLimit,
  bufferLimitBytes: number,
  workshop: Workshop,
): Phases => {
  const perhaps = (text: string | undefined) => (text === undefined ? undefined : workshop.expression(text))
  return grpcOperators.remoteRateLimit().limitRateRemotely({
    service: callService(service, 'RateLimit', workshop),
    timeoutMs: service.policies.http?.requestTimeoutMs ?? TIME_OUT_MS,
    turnstile: new Turnstile(WAITING_LIMIT),
    domain,
    descriptors: descriptors.map(({ entries, type, cost, limitOverride }) => ({
      entries: entries.map(([key, value]) => [key, workshop.expression(value)] as const),
      counts: type,
      cost: perhaps(cost),
      limitOverride: perhaps(limitOverride),
    })),
    failureMode,
    bufferLimitBytes,
  })
}
