import { isIP } from 'node:net'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { Resources } from '../../model/resources/resources.ts'
import { type Service, servicePort, type Workload } from '../../model/resources/service.ts'
import type { DialAddress } from '../connect/dial.ts'

/** An address that serves a port of a service. */
export interface RankedEndpoint {
  readonly address: Extract<DialAddress, { readonly ip: string }>
  /** Its share in proportion to the others. */
  readonly weight: number
  /** Used only while none with a lower number can be. */
  readonly priority: number
}

/**
 * The endpoints of a port of a service, the preferred ones first: every address of every healthy workload that offers
 * it. Nearer ones precede if the service asks for that; those that are terminating come last.
 */
export const serviceEndpoints = (
  service: Service,
  port: number,
  lookup: Pick<ResourceLookup, 'workloadsOf' | 'location'>,
  transport: 'tcp' | 'udp' = 'tcp',
): readonly RankedEndpoint[] => {
  const key = `${service.namespace}/${service.hostname}`
  const name = servicePort(port, transport)
  return lookup
    .workloadsOf(service)
    .flatMap((workload) => {
      const { status, services, addresses, capacity: weight = 1 } = workload
      const ports = services[key]
      const target = ports?.[name] ?? service.ports[name]
      if (status !== 'healthy' || !ports || target === undefined) return []
      const priority = distance(workload, service, lookup.location) + (workload.terminating ? TERMINATING : 0)
      return addresses
        .filter((address) => isIP(address))
        .map((ip) => ({ address: { ip, port: target }, weight, priority }))
    })
    .sort((a, b) => a.priority - b.priority)
}

/** More than any distance. */
const TERMINATING = 10

/** 0 for the endpoints that the service prefers for a gateway at this location, or if it prefers none. */
const distance = (
  { node, locality }: Workload,
  { trafficDistribution }: Service,
  location: Resources['location'],
): number => {
  const sameZone = location?.zone !== undefined && locality?.zone === location.zone
  if (trafficDistribution === 'PreferSameZone') return sameZone ? 0 : 1
  if (trafficDistribution !== 'PreferSameNode') return 0
  if (location?.node !== undefined && node === location.node) return 0
  return sameZone ? 1 : 2
}
