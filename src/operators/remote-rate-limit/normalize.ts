import type { Conditional } from '../../model/policies.ts'
import type { RateLimitDescriptor, RemoteRateLimit } from '../../model/remote-rate-limit.ts'
import type * as File from '../file-types.gen.ts'
import type { Context } from './context.ts'
import { defined } from './defined.ts'
import { policyBackend } from './policy-backend.ts'

/** `remoteRateLimit`, conditional or not. */
export function remoteRateLimit(
  policy: File.ConditionalRemoteRateLimit,
  context: Context,
): Conditional<RemoteRateLimit> {
  if (!('conditional' in policy)) return plain(policy, context)
  return {
    conditional: policy.conditional.map((entry) => ({
      ...plain(entry, context),
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
    })),
  }
}

function plain(policy: File.RemoteRateLimit, context: Context): RemoteRateLimit {
  return {
    service: policyBackend(policy, context),
    domain: policy.domain,
    descriptors: policy.descriptors.map(({ entries, type, cost, limitOverride }) =>
      defined<RateLimitDescriptor>({
        entries: entries.map(({ key, value }) => [key, value] as const),
        type: type ?? 'requests',
        cost,
        limitOverride,
      }),
    ),
    failureMode: policy.failureMode ?? 'failClosed',
  }
}
