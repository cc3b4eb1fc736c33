import type { Conditional } from '../../model/policies.ts'
import type { RateLimitDescriptor, RemoteRateLimit } from '../../model/remote-rate-limit.ts'
import type * as File from '../file-types.gen.ts'
import { defined } from './defined.ts'
import { policyBackend } from './policy-backend.ts'

/** `remoteRateLimit`, conditional or not. */
export function remoteRateLimit(policy: File.ConditionalRemoteRateLimit): Conditional<RemoteRateLimit> {
  if (!('conditional' in policy)) return plain(policy)
  return {
    conditional: policy.conditional.map((entry) => ({
      ...plain(entry),
      ...(entry.condition === undefined ? {} : { condition: entry.condition }),
    })),
  }
}

function plain(policy: File.RemoteRateLimit): RemoteRateLimit {
  return {
    service: policyBackend(policy),
    domain: policy.domain,
    descriptors: policy.descriptors.map(({ entries, cost, limitOverride }) =>
      defined<RateLimitDescriptor>({
        entries: entries.map(({ key, value }) => [key, value] as const),
        cost,
        limitOverride,
      }),
    ),
    failureMode: policy.failureMode ?? 'failClosed',
  }
}
