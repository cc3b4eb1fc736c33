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
import type { KubernetesObject } from '../../kinds/object.ts'

/** An object that a policy names or selects, with the part of it. */
export interface PolicyTargetReference extends PolicyTargetKind {
  readonly name: string
}

/** What a policy is meant for. */
export interface PolicyTargets {
  readonly references: readonly PolicyTargetReference[]
  /** Selectors without an object. */
  readonly problems: readonly string[]
}

/** The objects that a ProxyPolicy names or selects, whether they exist or not, and however many they are. */
export const foundTargets = (reads: GraphReads, { metadata, spec }: ProxyPolicy): PolicyTargets => {
  const { namespace = '' } = metadata
  const problems: string[] = []
  const selected = (spec.targetSelectors ?? []).flatMap(({ matchLabels, ...part }) => {
    const names = selectLabelled(selectable(reads, part.kind, namespace), { matchLabels }).map(
      ({ name }) => name,
    )
    if (names.length === 0)
      problems.push(
        `Policy is not attached: no ${part.kind} matching selector found in namespace ${namespace}`,
      )
    return names.map((name) => ({ ...part, name }))
  })
  return { references: unique([...(spec.targetRefs ?? []), ...selected]), problems }
}

const unique = (references: readonly PolicyTargetReference[]): readonly PolicyTargetReference[] => [
  ...new Map(references.map((one) => [policyTargetText(one), one])).values(),
]

/** Equal for equal targets of a namespace. */
export const policyTargetText = ({ kind, name, sectionName, port }: PolicyTargetReference): string =>
  JSON.stringify([kind, name, sectionName, port])

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
