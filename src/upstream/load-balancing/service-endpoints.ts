import { isIP } from 'node:net'
import type { Service, Workload } from '../../model/resources/resources.ts'
import type { DialAddress } from '../connect/dial.ts'

/** The addresses that serve a port of a service: every address of every healthy workload that offers it. */
export const serviceEndpoints = (
  service: Service,
  port: number,
  workloads: readonly Workload[],
): DialAddress[] => {
  const key = `${service.namespace}/${service.hostname}`
  return workloads.flatMap(({ status, services, addresses }) => {
    const ports = services[key]
    const target = ports?.[port] ?? service.ports[port]
    if (status !== 'healthy' || !ports || target === undefined) return []
    return addresses.filter((address) => isIP(address)).map((ip) => ({ ip, port: target }))
  })
}
