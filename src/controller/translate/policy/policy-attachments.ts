import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { policyTargets, targetId } from './policy-targets.ts'
import { targetKinds } from './target-kinds.ts'

/** One target of a policy. A section that stands for several parts is several targets. */
export interface PolicyAttachment {
  /** `kind/namespace/name` of the target. */
  readonly id: string
  /** Distinguishes it from other attachments of the policy: `namespace/name`, with `/section` or `/port=N`. */
  readonly name: string
  /** Undefined if the target does not exist, or is a selection of nothing. */
  readonly target: File.PolicyTarget | undefined
  /** The keys of the Gateways whose proxies get the policy, sorted. */
  readonly gateways: readonly string[]
  readonly problem: string | undefined
}

/** The targets of a ProxyPolicy, by its key. */
export const policyAttachments: Query<readonly PolicyAttachment[]> = defineQuery(
  'policyAttachments',
  (reads, key) => {
    const policy = reads.object('ProxyPolicy', key)
    if (!policy) return []
    return reads.query(policyTargets, key).references.flatMap((reference): readonly PolicyAttachment[] => {
      const { kind: kindName, name, sectionName, port } = reference
      const target = `${policy.metadata.namespace ?? ''}/${name}`
      const part = port === undefined ? sectionName : `port=${port}`
      const attachment = {
        id: targetId(policy, reference),
        name: part === undefined ? target : `${target}/${part}`,
      }
      const kind = targetKinds[kindName]
      const problem = kind?.exists(reads, target)
        ? kind.partProblem(reads, target, reference)
        : `${kindName} ${target} not found`
      if (!kind || problem !== undefined) return [{ ...attachment, target: undefined, gateways: [], problem }]
      const attached = { ...attachment, gateways: [...kind.gateways(reads, target)].sort(), problem }
      const parts = sectionName === undefined ? undefined : kind.parts?.(reads, target, sectionName)
      if (!parts) return [{ ...attached, target: kind.target(reads, target, reference) }]
      if (parts.length === 0) return [{ ...attached, target: undefined }]
      return parts.map((name) => ({
        ...attached,
        name: name === sectionName ? attached.name : `${attached.name}/${name}`,
        target: kind.target(reads, target, { ...reference, sectionName: name }),
      }))
    })
  },
)

/** A target of a policy that exists. */
export type AttachedPolicyTarget = PolicyAttachment & { readonly target: File.PolicyTarget }

/** The attachments to each target that exists, by its id: a policy may select many objects. Key: that of the policy. */
export const attachmentsByTarget: Query<ReadonlyMap<string, readonly AttachedPolicyTarget[]>> = defineQuery(
  'attachmentsByTarget',
  (reads, key) =>
    Map.groupBy(
      reads
        .query(policyAttachments, key)
        .filter((one): one is AttachedPolicyTarget => one.target !== undefined),
      ({ id }) => id,
    ),
)
