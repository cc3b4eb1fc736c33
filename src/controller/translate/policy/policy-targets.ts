import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { PolicyTargetKind, ProxyPolicy } from '../../kinds/custom-resources.ts'
import {
  groupByLabels,
  type Labelled,
  type LabelledObjects,
  selectLabelled,
} from '../../kinds/labelled-objects.ts'
import type { Kind } from '../../kinds/kinds.ts'
import { type KubernetesObject, objectKey } from '../../kinds/object.ts'

/** An object that a policy names or selects, with the part of it. */
export interface PolicyTargetReference extends PolicyTargetKind {
  readonly name: string
}

/** What a policy is meant for, by its key. */
export interface PolicyTargets {
  readonly references: readonly PolicyTargetReference[]
  /** Selectors without an object. */
  readonly problems: readonly string[]
}

/** The objects that a ProxyPolicy names or selects, whether they exist or not; by the key of the policy. */
export const policyTargets: Query<PolicyTargets> = defineQuery('policyTargets', (reads, key) => {
  const policy = reads.object('ProxyPolicy', key)
  if (!policy) return { references: [], problems: [] }
  const namespace = policy.metadata.namespace ?? ''
  const problems: string[] = []
  const selected = (policy.spec.targetSelectors ?? []).flatMap(({ matchLabels, ...part }) => {
    const names = selectLabelled(selectable(reads, part.kind, namespace), { matchLabels }).map(
      ({ name }) => name,
    )
    if (names.length === 0)
      problems.push(
        `Policy is not attached: no ${part.kind} matching selector found in namespace ${namespace}`,
      )
    return names.map((name) => ({ ...part, name }))
  })
  return { references: unique([...(policy.spec.targetRefs ?? []), ...selected]), problems }
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

const unique = (references: readonly PolicyTargetReference[]): readonly PolicyTargetReference[] => [
  ...new Map(
    references.map((one) => [JSON.stringify([one.kind, one.name, one.sectionName, one.port]), one]),
  ).values(),
]

type SelectableObjects = LabelledObjects<Labelled & { readonly name: string }>

const selectable = (reads: GraphReads, kind: string, namespace: string): SelectableObjects =>
  Object.hasOwn(selectableKinds, kind)
    ? reads.query(selectableObjects, `${kind}/${namespace}`)
    : groupByLabels([])

/** Names and labels only, so that other changes of the objects do not matter. Key: kind and namespace. */
const selectableObjects: Query<SelectableObjects> = defineQuery('selectableObjects', (reads, id) => {
  const slash = id.indexOf('/')
  const objectsOf = selectableKinds[id.slice(0, slash) as keyof typeof selectableKinds]
  return groupByLabels(
    objectsOf(reads, id.slice(slash + 1)).map(({ metadata: { name, labels = {} } }) => ({ name, labels })),
  )
})

const inNamespace = (kind: Kind) => {
  const index = defineIndex(kind, 'namespace', ({ metadata }) => [metadata.namespace ?? ''])
  return (reads: GraphReads, namespace: string): readonly KubernetesObject[] =>
    reads.indexed(index, namespace)
}

const selectableKinds = {
  Gateway: inNamespace('Gateway'),
  ListenerSet: inNamespace('ListenerSet'),
  HTTPRoute: inNamespace('HTTPRoute'),
  GRPCRoute: inNamespace('GRPCRoute'),
  Service: inNamespace('Service'),
  ProxyBackend: inNamespace('ProxyBackend'),
  InferencePool: inNamespace('InferencePool'),
} as const
