import type { ResourceTree } from '../../../config/xds/resource-tree.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { type XdsResource, xdsResource } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { ProxyPolicy } from '../../kinds/custom-resources.ts'
import { gatewayReach } from './gateway-reach.ts'
import { attachmentsByTarget } from './policy-attachments.ts'
import { policiesByTarget } from './policy-targets.ts'
import { sectionPhase, translatedPolicy } from './translated-policy.ts'

/**
 * The ProxyPolicies of a Gateway: those of all that it reaches. A policy that cannot be computed stops the Gateway's
 * updates: without it, requests might pass that must not. Key: that of the Gateway.
 */
export const gatewayPolicyResources: Query<ResourceTree> = defineQuery(
  'gatewayPolicyResources',
  (reads, gateway) => {
    const byTarget = reads.query(policiesByTarget, '')
    if (byTarget.size === 0) return []
    return reads
      .query(gatewayReach, gateway)
      .flatMap((id) =>
        (byTarget.get(id) ?? []).map((policy) => reads.query(attachedResources, `${policy} ${id}`)),
      )
  },
)

/** The resources of a policy at one of its targets. Key: that of the policy, and `kind/namespace/name` of the target. */
const attachedResources: Query<readonly XdsResource[]> = defineQuery('attachedResources', (reads, key) => {
  const [policyKey = '', id = ''] = key.split(' ')
  const policy = reads.object('ProxyPolicy', policyKey)
  const translated = reads.query(translatedPolicy, policyKey)
  if (!policy || !translated) return []
  return (reads.query(attachmentsByTarget, policyKey).get(id) ?? []).flatMap((attachment) =>
    translated.forms.flatMap((form) =>
      Object.entries(form.policy as Readonly<Record<string, unknown>>).map(
        ([field, value], _, { length }) => {
          const name = length === 1 ? form.name : `${form.name}.${field}`
          const model = {
            ...placement(policy, attachment.target),
            ...sectionPhase(policy, form.section),
            ...(form.section === 'traffic' ? inheritance(policy, attachment.target) : {}),
            policy: { [field]: value } as File.AttachedPolicy,
          }
          return xdsResource('policy', `${form.section}/${policyKey}:${name}:${attachment.name}`, model)
        },
      ),
    ),
  )
})

const placement = (
  { metadata: { name, namespace = '', creationTimestamp = EPOCH } }: ProxyPolicy,
  target: File.PolicyTarget,
): Omit<File.TargetedPolicy, 'policy'> => ({
  name: { name, namespace },
  target,
  precedence: { createdAt: creationTimestamp, namespace, name },
})

/** Nothing inherits from a backend: what overrides there, changes nothing, and proxies refuse it. */
const inheritance = (
  { spec }: ProxyPolicy,
  target: File.PolicyTarget | undefined,
): Pick<File.TargetedPolicy, 'inheritance'> =>
  spec.strategy?.inheritance === 'Override' && target?.backend === undefined
    ? { inheritance: 'override' }
    : {}

const EPOCH = '1970-01-01T00:00:00Z'
