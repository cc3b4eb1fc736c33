import { defineQuery, type Query } from '../../graph/query.ts'
import type { ProxyPolicy } from '../../kinds/custom-resources.ts'
import { objectKey } from '../../kinds/object.ts'
import { foundTargets, type PolicyTargetReference, type PolicyTargets } from './found-targets.ts'
import { policyLimit } from './policy-limit.ts'

/**
 * What a ProxyPolicy is for: the objects that it names or selects, whether they exist or not. Of one that is beyond the
 * limit, those where it refuses. Key: that of the policy.
 */
export const policyTargets: Query<PolicyTargets> = defineQuery('policyTargets', (reads, key) => {
  const policy = reads.object('ProxyPolicy', key)
  if (!policy) return { references: [], problems: [] }
  const limit = reads.query(policyLimit, key)
  return limit ? { references: limit.refusedTargets, problems: [] } : foundTargets(reads, policy)
})

/** The keys of the ProxyPolicies of each target, `kind/namespace/name`, sorted. */
export const policiesByTarget: Query<ReadonlyMap<string, readonly string[]>> = defineQuery(
  'policiesByTarget',
  (reads) => {
    const byTarget = new Map<string, string[]>()
    for (const policy of reads.objects('ProxyPolicy')) {
      const key = objectKey(policy)
      const targets = reads.tryQuery(policyTargets, key)?.references ?? []
      for (const id of new Set(targets.map((target) => targetId(policy, target)))) {
        const known = byTarget.get(id)
        if (known) known.push(key)
        else byTarget.set(id, [key])
      }
    }
    return byTarget
  },
)

/** `kind/namespace/name` of a target: all are of the namespace of the policy. */
export const targetId = ({ metadata }: ProxyPolicy, { kind, name }: PolicyTargetReference): string =>
  `${kind}/${metadata.namespace ?? ''}/${name}`
