import { isIP } from 'node:net'
import type { Resources, Service, Workload } from '../model/resources.ts'
import type { Place } from './dial.ts'

/** The service that a reference means, as `namespace/hostname` or `namespace/name`. */
export const serviceNamed = (name: string, { services }: Pick<Resources, 'services'>): Service | undefined =>
  services.find(
    (one) => `${one.namespace}/${one.hostname}` === name || `${one.namespace}/${one.name}` === name,
  )

/** The places where a port of a service is served: every address of every healthy workload that offers it. */
export const servicePlaces = (service: Service, port: number, workloads: readonly Workload[]): Place[] => {
  const key = `${service.namespace}/${service.hostname}`
  return workloads.flatMap(({ status, services, addresses }) => {
    const ports = services[key]
    const target = ports?.[port] ?? service.ports[port]
    if (status !== 'healthy' || !ports || target === undefined) return []
    return addresses.filter((address) => isIP(address)).map((ip) => ({ ip, port: target }))
  })
}
