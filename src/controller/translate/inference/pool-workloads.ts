import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import { defineIndex } from '../../graph/object-index.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Pod } from '../../kinds/core.ts'
import { objectKey } from '../../kinds/object.ts'
import { isEndpointAddress } from '../service/endpoint-address.ts'
import { nodeLocality } from '../service/node-locality.ts'
import { knownPool } from './known-pool.ts'
import { poolResourceKey } from './pool-names.ts'

/** The ready pods of an InferencePool as workloads, by the key of the pool. */
export const poolWorkloads: Query<readonly XdsResourceOf<'workload'>[]> = defineQuery(
  'poolWorkloads',
  (reads, key) => {
    const ports = reads.query(knownPool, key)?.ports
    if (!ports) return []
    const services = {
      [poolResourceKey(key, reads.settings)]: Object.fromEntries(ports.map((port) => [String(port), port])),
    }
    return readyPods(reads, key).map((pod) => {
      const model = workload(reads, key, pod, services)
      return xdsResource('workload', model.uid, model)
    })
  },
)

/** Pods that terminate are still ready for a while: they are used where a picker chooses them, or nothing else is left. */
const readyPods = (reads: GraphReads, key: string): readonly Pod[] => {
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

const workload = (
  reads: GraphReads,
  key: string,
  { metadata, spec, status }: Pod,
  services: File.Workload['services'],
): File.Workload => {
  const [namespace = ''] = key.split('/')
  const node = spec?.nodeName
  const locality = node === undefined ? undefined : reads.query(nodeLocality, node)
  return {
    uid: `InferencePool/${key}/${metadata.name}`,
    name: metadata.name,
    namespace,
    workloadIps: [status?.podIP ?? ''],
    status: 'Healthy',
    ...(metadata.deletionTimestamp === undefined ? {} : { terminating: true }),
    ...(locality ? { locality } : {}),
    ...(node === undefined ? {} : { node }),
    ...(services ? { services } : {}),
  }
}
