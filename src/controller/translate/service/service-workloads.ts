import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Service } from '../../kinds/core.ts'
import { endpointLimit } from './endpoint-limit.ts'
import { type EndpointOfService, endpointsOfService } from './endpoints-of-service.ts'
import { serviceNames, serviceResourceKey } from './service-names.ts'

/** The endpoints of a Service, by its key. None if they are too many: then nothing can refer to it. */
export const serviceWorkloads: Query<readonly XdsResourceOf<'workload'>[]> = defineQuery(
  'serviceWorkloads',
  (reads, key) => {
    const service = reads.query(endpointSource, key)
    if (!service || reads.query(endpointLimit, key) !== undefined) return []
    return endpointsOfService(reads, key, service.ports, service.family).map((endpoint) => {
      const model = workload(reads, key, endpoint)
      return xdsResource('workload', model.uid, model)
    })
  },
)

/** What endpoints depend on; the rest of a Service changes without changing them. */
const endpointSource = defineQuery('endpointSource', (reads, key) => {
  const service = reads.object('Service', key)
  return service && { ports: service.spec?.ports ?? [], family: primaryFamily(service) }
})

const primaryFamily = ({ spec }: Service): 'IPv4' | 'IPv6' => {
  const [family] = spec?.ipFamilies ?? []
  if (family === 'IPv4' || family === 'IPv6') return family
  return spec?.clusterIP?.includes(':') ? 'IPv6' : 'IPv4'
}

const workload = (
  reads: GraphReads,
  key: string,
  { id, address, ports, state, endpoint }: EndpointOfService,
): File.Workload => {
  const { namespace } = serviceNames(key, reads.settings)
  const { nodeName, zone, targetRef } = endpoint
  const region = nodeName === undefined ? undefined : reads.query(nodeRegion, nodeName)
  return {
    uid: `${key}/${id}`,
    name: targetRef?.name ?? address,
    namespace,
    workloadIps: [address],
    status: state === 'unready' ? 'Unhealthy' : 'Healthy',
    ...(state === 'terminating' ? { terminating: true } : {}),
    ...(region === undefined && zone === undefined
      ? {}
      : {
          locality: { ...(region === undefined ? {} : { region }), ...(zone === undefined ? {} : { zone }) },
        }),
    ...(nodeName === undefined ? {} : { node: nodeName }),
    services: { [serviceResourceKey(key, reads.settings)]: { ...ports } },
  }
}

/** The region of a node, by its name. Its heartbeats change nothing here. */
const nodeRegion: Query<string | undefined> = defineQuery(
  'nodeRegion',
  (reads, node) => reads.object('Node', node)?.metadata.labels?.['topology.kubernetes.io/region'],
)
