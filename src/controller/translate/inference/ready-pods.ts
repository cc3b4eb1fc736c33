import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Pod } from '../../kinds/core.ts'
import { objectKey } from '../../kinds/object.ts'
import { isEndpointAddress } from '../service/endpoint-address.ts'

/** The pods of an InferencePool that may get requests. Those that terminate are still ready for a while: they are used where a picker chooses them, or nothing else is left. */
export const readyPods = (reads: GraphReads, key: string): readonly Pod[] => {
  const labels = reads.query(poolLabels, key)
  const [namespace = ''] = key.split('/')
  const [rarest = []] = labels
    .map((label) => reads.indexed(podsByLabel, labelValue(namespace, label)))
    .sort((a, b) => a.length - b.length)
  return rarest
    .filter(
      ({ metadata, status }) =>
        labels.every(([name, value]) => metadata.labels?.[name] === value) &&
        status?.podIP !== undefined &&
        isEndpointAddress(status.podIP) &&
        (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    )
    .toSorted((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1))
}

/** An empty selector, which the API server refuses, would select every pod of the namespace: it selects none. */
const poolLabels: Query<readonly (readonly [name: string, value: string])[]> = defineQuery(
  'poolLabels',
  (reads, key) => Object.entries(reads.object('InferencePool', key)?.spec.selector.matchLabels ?? {}).sort(),
)

const podsByLabel = defineIndex('Pod', 'label', ({ metadata }) =>
  Object.entries(metadata.labels ?? {}).map((label) => labelValue(metadata.namespace ?? '', label)),
)

const labelValue = (namespace: string, [name, value]: readonly [string, string]): string =>
  `${namespace}/${name}=${value}`
