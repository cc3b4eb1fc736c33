import type { McpBackendForm } from '../../../operators/mcp/kubernetes/mcp-backend-field.ts'
import { MAX_SELECTED_SERVERS } from '../../../operators/mcp/kubernetes/selected-targets.ts'
import { policyForms, type PolicySection } from '../../custom-resources/policy-forms.ts'
import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ProxyPolicy } from '../../kinds/custom-resources.ts'
import { objectKey } from '../../kinds/object.ts'
import { attempt } from '../attempt.ts'
import { selectedServices } from '../backend/selected-services.ts'
import { foundTargets, type PolicyTargetReference, policyTargetText } from './found-targets.ts'

/**
 * Fields of the ProxyPolicies of a namespace, each counted for each target, and again for each KiB that it is long. A
 * proxy gets each policy for each target: without a limit, a hundred policies that select a thousand routes would be
 * 57 MB for it. Policies have no targets in other namespaces, so that no tenant can use up what another one has.
 */
const MAX_ATTACHED_FIELDS = 100_000
/** The oldest policies with so many fields together may have any number of targets: they cost what the targets do. */
const FEW_FIELDS = 32
/** Characters of JSON. */
const FIELD_SIZE = 1024

/** What a policy beyond the limit is. */
export interface PolicyLimit {
  readonly problem: string
  /**
   * Where it stands for itself and for younger policies: what refuses requests would multiply as well, if all of them did
   * at each target.
   */
  readonly refusedTargets: readonly PolicyTargetReference[]
}

/** Present if nothing of a ProxyPolicy is in force, because the policies of its namespace have too many targets; by its key. */
export const policyLimit: Query<PolicyLimit | undefined> = defineQuery('policyLimit', (reads, key) => {
  const [namespace = ''] = key.split('/')
  const refusedTargets = reads.query(policiesBeyondLimit, namespace).get(key)
  return refusedTargets && { problem: tooManyTargets(namespace), refusedTargets }
})

const tooManyTargets = (namespace: string): string =>
  `The ProxyPolicies of namespace ${namespace} have more than ${MAX_ATTACHED_FIELDS} fields, each counted for each target and each KiB: nothing of this policy is in force, since older ones come first`

/** The policies of a namespace that no budget is left for, with the targets that each refuses. */
const policiesBeyondLimit: Query<ReadonlyMap<string, readonly PolicyTargetReference[]>> = defineQuery(
  'policiesBeyondLimit',
  (reads, namespace) => {
    const beyond = new Map<string, readonly PolicyTargetReference[]>()
    const policies = reads.indexed(policiesByNamespace, namespace).map((policy) => {
      const key = objectKey(policy)
      return { key, policy, size: reads.tryQuery(policySize, key) ?? 0 }
    })
    if (policies.reduce((sum, { size }) => sum + size, 0) <= FEW_FIELDS) return beyond
    const byAge = policies
      .map((one) => ({ ...one, age: `${one.policy.metadata.creationTimestamp ?? ''} ${one.key}` }))
      .sort((a, b) => (a.age < b.age ? -1 : 1))
    const refused = new Set<string>()
    let few = FEW_FIELDS
    let left = MAX_ATTACHED_FIELDS
    for (const { key, policy, size } of byAge) {
      if (size <= few) {
        few -= size
        continue
      }
      few = 0
      // What comes after the limit is not counted any more.
      if (left >= 0) left -= size * (reads.tryQuery(targetCount, key) ?? 0)
      if (left < 0) beyond.set(key, attempt(() => newlyRefused(reads, policy, refused)).value ?? [])
    }
    return beyond
  },
)

/** The fields of a policy, each counted again for each KiB. */
const policySize: Query<number> = defineQuery('policySize', (reads, key) =>
  fieldsOf(reads.object('ProxyPolicy', key)).reduce(
    (sum, { value }) => sum + 1 + Math.floor(JSON.stringify(value).length / FIELD_SIZE),
    0,
  ),
)

/** The targets of a policy, by its key. Kept apart from them: most changes leave their number. */
const targetCount: Query<number> = defineQuery('targetCount', (reads, key) => {
  const policy = reads.object('ProxyPolicy', key)
  if (!policy) return 0
  const { namespace = '' } = policy.metadata
  return foundTargets(reads, policy).references.reduce(
    (sum, target) => sum + partCount(reads, namespace, target),
    0,
  )
})

/** A section of a ProxyBackend that selects MCP servers stands for all of them. */
const partCount = (
  reads: GraphReads,
  namespace: string,
  { kind, name, sectionName }: PolicyTargetReference,
): number => {
  if (kind !== 'ProxyBackend' || sectionName === undefined) return 1
  const { mcp } = reads.object('ProxyBackend', `${namespace}/${name}`)?.spec ?? {}
  const ports = ((mcp as McpBackendForm | undefined)?.targets ?? [])
    .flatMap((target) => (target.name === sectionName && target.selector ? [target.selector] : []))
    .flatMap((selector) => selectedServices(reads, namespace, selector))
    .reduce((sum, service) => sum + service.ports.length, 0)
  return Math.min(Math.max(ports, 1), MAX_SELECTED_SERVERS)
}

/** The targets where a policy refuses what no older one does. */
const newlyRefused = (
  reads: GraphReads,
  policy: ProxyPolicy,
  refused: Set<string>,
): readonly PolicyTargetReference[] => {
  const { strategy, traffic, targetRefs, targetSelectors } = policy.spec
  const kinds = new Set([...(targetRefs ?? []), ...(targetSelectors ?? [])].map(({ kind }) => kind))
  // What refuses depends on all of this, and is the same for policies that are equal in it.
  const alike = [traffic?.phase, strategy?.inheritance, ...[...kinds].sort()]
  const refusals = fieldsOf(policy).flatMap(({ section, name }) =>
    policyForms[section][name]?.whenBroken ? [JSON.stringify([section, name, ...alike])] : [],
  )
  const isNew = (at: string): boolean => {
    const added = refusals.map((refusal) => `${refusal} ${at}`).filter((one) => !refused.has(one))
    for (const one of added) refused.add(one)
    return added.length > 0
  }
  // Many policies have the same selector. Those without anything that refuses look at no target.
  return isNew(JSON.stringify([targetRefs, targetSelectors]))
    ? foundTargets(reads, policy).references.filter((target) => isNew(policyTargetText(target)))
    : []
}

interface PolicyField {
  readonly section: PolicySection
  readonly name: string
  readonly value: unknown
}

const fieldsOf = (policy: ProxyPolicy | undefined): readonly PolicyField[] =>
  (Object.keys(policyForms) as readonly PolicySection[]).flatMap((section) =>
    Object.entries(policy?.spec[section] ?? {}).flatMap(([name, value]) =>
      Object.hasOwn(policyForms[section], name) ? [{ section, name, value }] : [],
    ),
  )

const policiesByNamespace = defineIndex('ProxyPolicy', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
