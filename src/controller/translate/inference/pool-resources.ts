import type * as File from '../../../config/schema/file-types.gen.ts'
import { type XdsResource, xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { serviceResourceKey } from '../service/service-names.ts'
import { type KnownPool, knownPool } from './known-pool.ts'
import { hasOwnTls } from './picker-tls.ts'
import { absentPickerHostname, poolNames, poolResourceKey } from './pool-names.ts'

/** An InferencePool as a service without its endpoints, by its key; and one without any in place of an invalid picker. */
export const poolServices: Query<readonly XdsResourceOf<'service'>[]> = defineQuery(
  'poolServices',
  (reads, key) => {
    const pool = reads.query(knownPool, key)
    if (!pool) return []
    const names = poolNames(key, reads.settings)
    const ports = Object.fromEntries(pool.ports.map((port) => [String(port), port]))
    const services = [xdsResource('service', poolResourceKey(key, reads.settings), { ...names, ports })]
    if (!('problem' in pool.picker)) return services
    const hostname = absentPickerHostname(key, reads.settings)
    const absent = { ...names, hostname, ports: { [ABSENT_PORT]: ABSENT_PORT } }
    return [...services, xdsResource('service', `${names.namespace}/${hostname}`, absent)]
  },
)

/** The policy that has the picker of an InferencePool choose its endpoints, by the key of the pool. */
export const poolPolicy: Query<XdsResource | undefined> = defineQuery('poolPolicy', (reads, key) => {
  const pool = reads.query(knownPool, key)
  if (!pool) return undefined
  const { namespace, name, hostname } = poolNames(key, reads.settings)
  const model: File.TargetedPolicy = {
    name: { namespace, name },
    target: { backend: { service: { namespace, hostname } } },
    policy: {
      inferenceRouting: {
        endpointPicker: endpointPicker(
          reads,
          pool,
          `${namespace}/${absentPickerHostname(key, reads.settings)}`,
        ),
        failureMode: pool.failsOpen ? 'failOpen' : 'failClosed',
      },
    },
  }
  return xdsResource('policy', `InferencePool/${key}`, model)
})

const endpointPicker = (reads: GraphReads, { picker }: KnownPool, absent: string): File.EndpointPicker => {
  // A picker that is not there: requests are refused, or balanced, as the failure mode has it.
  if ('problem' in picker) return { service: { name: absent, port: ABSENT_PORT } }
  const { service, port } = picker
  return {
    service: { name: serviceResourceKey(service, reads.settings), port },
    // Pickers make certificates of their own at start: they are not verified unless a policy says how.
    ...(reads.query(hasOwnTls, `${service}:${port}`) ? {} : { policies: { backendTLS: { insecure: true } } }),
  }
}

/** Of the service without endpoints. */
const ABSENT_PORT = 9002
