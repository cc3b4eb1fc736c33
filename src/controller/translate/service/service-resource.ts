import { servicePort } from '../../../model/resources/service.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsResource, type XdsResourceOf } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { Service } from '../../kinds/core.ts'
import { appProtocol, type AppProtocol } from './app-protocol.ts'
import { isPort, transportOf } from './port-number.ts'
import { serviceNames, serviceResourceKey } from './service-names.ts'

/** A Service without its endpoints, by its key. */
export const serviceResource: Query<XdsResourceOf<'service'> | undefined> = defineQuery(
  'serviceResource',
  (reads, key) => {
    const service = reads.object('Service', key)
    if (!service) return undefined
    const { name, namespace, hostname } = serviceNames(key, reads.settings)
    const model: File.Service = { name, namespace, hostname, ...serviceFields(service) }
    return xdsResource('service', serviceResourceKey(key, reads.settings), model)
  },
)

const serviceFields = ({ spec }: Service): Omit<File.Service, 'name' | 'namespace' | 'hostname'> => {
  const ports = (spec?.ports ?? []).flatMap((port) => {
    const transport = transportOf(port)
    return transport ? [{ ...port, transport }] : []
  })
  const protocols = ports.flatMap((port): [string, AppProtocol][] => {
    const protocol = port.transport === 'tcp' ? appProtocol(port) : undefined
    return protocol ? [[String(port.port), protocol]] : []
  })
  const vips = (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).filter((ip) => ip !== '' && ip !== 'None')
  const distribution = DISTRIBUTIONS.get(spec?.trafficDistribution ?? '')
  return {
    // A port by name differs between endpoints: they have the numbers.
    ports: Object.fromEntries(
      ports.map(({ port, targetPort, transport }) => [
        servicePort(port, transport),
        isPort(targetPort) ? targetPort : port,
      ]),
    ),
    ...(vips.length > 0 ? { vips } : {}),
    ...(protocols.length > 0 ? { appProtocols: Object.fromEntries(protocols) } : {}),
    ...(spec?.sessionAffinity === 'ClientIP'
      ? { sessionAffinity: { clientIP: { timeout: `${affinitySeconds(spec)}s` } } }
      : {}),
    ...(distribution ? { trafficDistribution: distribution } : {}),
  }
}

const affinitySeconds = ({ sessionAffinityConfig }: NonNullable<Service['spec']>): number => {
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0
  return seconds > 0 ? seconds : 10_800
}

const DISTRIBUTIONS: ReadonlyMap<string, 'PreferSameZone' | 'PreferSameNode'> = new Map([
  ['PreferClose', 'PreferSameZone'],
  ['PreferSameZone', 'PreferSameZone'],
  ['PreferSameNode', 'PreferSameNode'],
])
