import type { SimpleBackend } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { StaticTarget } from '../../model/resources/resources.ts'
import type { Service } from '../../model/resources/service.ts'
import { addressName, type DialAddress } from '../connect/dial.ts'
import { serviceEndpoints } from '../load-balancing/service-endpoints.ts'
import { authorityOf, isAddress, addressOf } from '../connect/address.ts'

/** The address of a gRPC service, in the syntax of gRPC's client. */
export interface GrpcAddress {
  /** `dns:///host:port`, `ipv4:address:port,…`, `ipv6:[address]:port,…` or `unix:/path`. */
  readonly target: string
  /** Name or address, for certificates. */
  readonly host: string
  /** The authority of requests; undefined for addresses and unix sockets. */
  readonly authority: string | undefined
}

/** The address of a destination; undefined if there is no such one, or none that is known before a request is. */
export const grpcAddress = (target: SimpleBackend, resources: ResourceLookup): GrpcAddress | undefined => {
  if (target.kind === 'service') {
    const service = resources.service(target.name)
    const addresses = service ? preferredAddresses(service, target.port, resources) : []
    if (!service || addresses.length === 0) return undefined
    const host = service.hostname
    return { target: addressList(addresses), host, authority: `${host}:${target.port}` }
  }
  if (target.kind === 'host') return grpcHostAddress(target.target)
  const spec = resources.backend(target.key)?.spec
  return spec?.type === 'static' ? grpcHostAddress(spec.target) : undefined
}

/** A destination behind a proxy, which looks names up. */
export interface GrpcDestinations {
  /** None if there is no such destination. */
  readonly destinations: readonly DialAddress[]
  /** Of requests; the address, if the service has no name. */
  readonly authority: string
}

/** The destinations of connections through a proxy. */
export const grpcDestinations = (target: SimpleBackend, resources: ResourceLookup): GrpcDestinations => {
  if (target.kind === 'service') {
    const service = resources.service(target.name)
    const destinations = service ? preferredAddresses(service, target.port, resources) : []
    return { destinations, authority: `${service?.hostname ?? ''}:${target.port}` }
  }
  const spec = target.kind === 'host' ? undefined : resources.backend(target.key)?.spec
  const host = target.kind === 'host' ? target.target : spec?.type === 'static' ? spec.target : undefined
  if (!host) return { destinations: [], authority: '' }
  const address = addressOf(host)
  return { destinations: [address], authority: authorityOf(host, false) ?? addressName(address) }
}

/** Clients of gRPC choose among all addresses of a list: it has only those that are preferred. */
const preferredAddresses = (
  service: Service,
  port: number,
  resources: ResourceLookup,
): readonly DialAddress[] => {
  const endpoints = serviceEndpoints(service, port, resources)
  return endpoints.filter(({ priority }) => priority === endpoints[0]?.priority).map(({ address }) => address)
}

/** The address of a host or a unix socket. */
export const grpcHostAddress = (target: StaticTarget): GrpcAddress => {
  if ('unix' in target) return { target: `unix:${target.unix}`, host: '', authority: undefined }
  const { host, port } = target
  // gRPC's client looks names up, and again when connections fail.
  const known = isAddress(host) ? addressList([addressOf(target)]) : `dns:///${host}:${port}`
  return { target: known, host, authority: authorityOf(target, false) }
}

/** A list has one address family; IPv4 is preferred, as the one that mixed networks share. */
export const addressList = (addresses: readonly DialAddress[]): string => {
  const ips = addresses.flatMap((address) => ('ip' in address ? [address] : []))
  const v4 = ips.filter(({ ip }) => !ip.includes(':'))
  if (v4.length) return `ipv4:${v4.map(({ ip, port }) => `${ip}:${port}`).join()}`
  return `ipv6:${ips.map(({ ip, port }) => `[${ip}]:${port}`).join()}`
}
