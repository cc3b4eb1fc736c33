import type { SimpleBackend } from '../model/policies.ts'
import type { Resources, StaticTarget } from '../model/resources.ts'
import type { Place } from './dial.ts'
import { serviceNamed, servicePlaces } from './service-places.ts'
import { authorityOf, isAddress, placeOf } from './target.ts'

/** Where a gRPC service is, in the words of gRPC's client. */
export interface GrpcPlace {
  /** `dns:///host:port`, `ipv4:address:port,…`, `ipv6:[address]:port,…` or `unix:/path`. */
  readonly target: string
  /** Name or address, for certificates. */
  readonly host: string
  /** What the service is called in requests; undefined for addresses and unix sockets. */
  readonly authority: string | undefined
}

/** The place of a destination; undefined if there is no such one, or none that is known before a request is. */
export const grpcPlace = (target: SimpleBackend, resources: Resources): GrpcPlace | undefined => {
  if (target.kind === 'service') {
    const service = serviceNamed(target.name, resources)
    const places = service ? servicePlaces(service, target.port, resources.workloads) : []
    if (!service || places.length === 0) return undefined
    const host = service.hostname
    return { target: severalPlaces(places), host, authority: `${host}:${target.port}` }
  }
  if (target.kind === 'host') return staticPlace(target.target)
  const spec = resources.backends.find(({ key }) => key === target.key)?.spec
  return spec?.type === 'static' ? staticPlace(spec.target) : undefined
}

const staticPlace = (target: StaticTarget): GrpcPlace => {
  if ('unix' in target) return { target: `unix:${target.unix}`, host: '', authority: undefined }
  const { host, port } = target
  // Names are looked up by gRPC's client, and again when connections fail.
  const known = isAddress(host) ? severalPlaces([placeOf(target)]) : `dns:///${host}:${port}`
  return { target: known, host, authority: authorityOf(target, false) }
}

/** Lists are of one address family: IPv4 addresses are preferred, for they are what mixed networks have in common. */
const severalPlaces = (places: readonly Place[]): string => {
  const addresses = places.flatMap((place) => ('ip' in place ? [place] : []))
  const v4 = addresses.filter(({ ip }) => !ip.includes(':'))
  if (v4.length) return `ipv4:${v4.map(({ ip, port }) => `${ip}:${port}`).join()}`
  return `ipv6:${addresses.map(({ ip, port }) => `[${ip}]:${port}`).join()}`
}
