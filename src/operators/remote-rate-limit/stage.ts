import type { Conditional } from '../../model/resources/policies.ts'
import type { RemoteRateLimit } from './schema.ts'
import { conditional } from '../conditional.ts'
import type { Phases } from '../phases.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { callTimeoutMs } from '../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles a shared limit, or several of which the first whose condition is true applies. */
export const remoteRateLimitStages = (
  policy: Conditional<RemoteRateLimit>,
  context: CompileContext,
): Phases => {
  const { maxBufferBytes } = context.resources.frontend.http
  if (!('conditional' in policy)) return stages(policy, maxBufferBytes, context)
  const choices = policy.conditional.map(({ condition, ...rest }) => ({
    ...stages(rest, maxBufferBytes, context),
    when: condition === undefined ? undefined : context.expression(condition),
  }))
  return conditional(choices, maxBufferBytes, true)
}

/** Timeout of the service, unless its policies set one. */
const TIME_OUT_MS = 2_000
/** Maximum number of pending calls to one service. */
const WAITING_LIMIT = 1_024

const stages = (
  { service, domain, descriptors, failureMode }: RemoteRateLimit,
  bufferLimitBytes: number,
  context: CompileContext,
): Phases => {
  const perhaps = (text: string | undefined) => (text === undefined ? undefined : context.expression(text))
  return grpcOperators.remoteRateLimit().remoteRateLimit({
    service: callService(service, 'RateLimit', context),
    timeoutMs: callTimeoutMs(service, context, TIME_OUT_MS),
    concurrencyLimit: new ConcurrencyLimit(WAITING_LIMIT),
    domain,
    descriptors: descriptors.map(({ entries, type, cost, limitOverride }) => ({
      entries: entries.map(([key, value]) => [key, context.expression(value)] as const),
      counts: type,
      cost: perhaps(cost),
      limitOverride: perhaps(limitOverride),
    })),
    failureMode,
    bufferLimitBytes,
  })
}
