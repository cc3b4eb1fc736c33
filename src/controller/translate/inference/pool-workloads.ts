import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Pod } from '../../kinds/core.ts'
import { nodeLocality } from '../service/node-locality.ts'
import { knownPool } from './known-pool.ts'
import { poolLimit } from './pool-limit.ts'
import { poolResourceKey } from './pool-names.ts'
import { readyPods } from './ready-pods.ts'

/** The ready pods of an InferencePool as workloads, by the key of the pool. None if they are too many. */
export const poolWorkloads: Query<readonly XdsResourceOf<'workload'>[]> = defineQuery(
  'poolWorkloads',
  (reads, key) => {
    const ports = reads.query(knownPool, key)?.ports
    if (!ports || reads.query(poolLimit, key) !== undefined) return []
    const services = {
      [poolResourceKey(key, reads.settings)]: Object.fromEntries(ports.map((port) => [String(port), port])),
    }
    return readyPods(reads, key).map((pod) => {
      const model = workload(reads, key, pod, services)
      return xdsResource('workload', model.uid, model)
    })
  },
)

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
