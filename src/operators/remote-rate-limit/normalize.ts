import type { Conditional } from '../../model/resources/policies.ts'
import type { RateLimitDescriptor, RemoteRateLimit } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { Context } from '../../config/normalize/context.ts'
import { definedFields } from '../../config/normalize/optional-fields.ts'
import { policyBackend } from '../../config/normalize/policy-backend.ts'

/** `remoteRateLimit`, conditional or not. */
export function normalizeRemoteRateLimit(
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
      definedFields<RateLimitDescriptor>({
        entries: entries.map(({ key, value }) => [key, value] as const),
        type: type ?? 'requests',
        cost,
        limitOverride,
      }),
    ),
    failureMode: policy.failureMode ?? 'failClosed',
  }
}
