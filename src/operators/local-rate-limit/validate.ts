import type * as File from '../../config/schema/file-types.gen.ts'
import { parseDuration } from '../../config/format/duration.ts'
import { child } from '../../config/document/json-pointer.ts'
import { policyContainers } from '../../config/validate/policy-locations.ts'
import { checkConditionOrder } from '../../config/validate/route-policies.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'

/** Checks for limits that cannot work, or allow nothing. */
export const checkLocalRateLimits: Check = (view) => {
  for (const { policies, pointer } of policyContainers(view)) {
    const policy = policies.localRateLimit
    if (policy === undefined) continue
    const at = child(pointer, 'localRateLimit')
    if (!('conditional' in policy)) {
      for (const limit of view.items(policy, at)) examineLimit(view, limit.value, limit.pointer)
      continue
    }
    checkConditionOrder(view, policy.conditional, at)
    for (const limit of view.items(policy.conditional, child(at, 'conditional')))
      examineLimit(view, limit.value, limit.pointer)
  }
}

function examineLimit(view: ValidationContext, limit: File.LocalLimit, pointer: string): void {
  if (limit.scope === 'global')
    view.wrongValue(
      child(pointer, 'scope'),
      'needs a store that all processes share, which localRateLimit has not',
      {
        value: limit.scope,
        hint: 'remoteRateLimit asks a service that has one',
      },
    )
  if ((parseDuration(limit.fillInterval) ?? 0) < SHORTEST_MS)
    view.wrongValue(child(pointer, 'fillInterval'), 'must be longer than nothing', {
      value: limit.fillInterval,
    })
  if ((limit.maxTokens ?? 0) === 0)
    view.warning(pointer, 'limit_lets_nothing_pass', 'maxTokens is 0: every request is refused')
  else if ((limit.tokensPerFill ?? 0) === 0)
    view.warning(pointer, 'limit_never_refills', 'tokensPerFill is 0: once the bucket is empty, it stays so')
}

/** A nanosecond. With shorter intervals, the count exceeds the range of exact numbers. */
const SHORTEST_MS = 1e-6
