import { hash } from 'node:crypto'
import { isEndpointAddress } from './endpoint-address.ts'
import type { GraphReads } from '../../graph/query.ts'
import { defineIndex } from '../../graph/object-index.ts'
import type { Endpoint, EndpointSlice, ServicePort } from '../../kinds/core.ts'
import { servicePort } from '../../../model/resources/service.ts'
import { isPort, transportOf } from './port-number.ts'

/** An endpoint of a Service, of all slices that have it. */
export interface EndpointOfService {
  /** Unique in its Service: the address, or `address:ports` for further endpoints of an address. */
  readonly id: string
  readonly address: string
  /** Service port, such as `80` or `53/udp` → port of the endpoint. */
  readonly ports: Readonly<Record<string, number>>
  readonly state: 'ready' | 'terminating' | 'unready'
  readonly endpoint: Endpoint
}

/**
 * The endpoints of a Service, by address. Of a Service with both families of addresses, those of one family: an endpoint
 * has an address in each, and would count twice.
 */
export const endpointsOfService = (
  reads: GraphReads,
  key: string,
  ports: readonly ServicePort[],
  preferredFamily: 'IPv4' | 'IPv6',
): readonly EndpointOfService[] => {
  const slices = reads.indexed(slicesByService, key)
  const offered = offeredPorts(ports)
  const ofFamily = (family: string): readonly EndpointOfService[] =>
    mergedEndpoints(
      slices.filter(({ addressType }) => addressType === family),
      offered,
    )
  const preferred = ofFamily(preferredFamily)
  return preferred.length > 0 ? preferred : ofFamily(preferredFamily === 'IPv4' ? 'IPv6' : 'IPv4')
}

/**
 * How many endpoints a Service has, each counted for each of its ports: what proxies would be sent. Of two families of
 * addresses, those of the larger one. It costs the slices and their ports, not what it counts.
 */
export const endpointPortCount = (reads: GraphReads, key: string, ports: readonly ServicePort[]): number => {
  const offered = offeredPorts(ports)
  const counts = new Map<string, number>()
  for (const slice of reads.indexed(slicesByService, key)) {
    const portCount = Object.keys(endpointPorts(slice, offered)).length
    const count = (slice.endpoints?.length ?? 0) * portCount
    counts.set(slice.addressType, (counts.get(slice.addressType) ?? 0) + count)
  }
  return Math.max(0, ...counts.values())
}

const slicesByService = defineIndex('EndpointSlice', 'service', ({ metadata }) => {
  const service = metadata.labels?.['kubernetes.io/service-name']
  return service === undefined ? [] : [`${metadata.namespace ?? ''}/${service}`]
})

/** An endpoint may be in several slices: for its ports, and while it moves from one to another. */
const mergedEndpoints = (
  slices: readonly EndpointSlice[],
  ports: OfferedPorts,
): readonly EndpointOfService[] => {
  const merged = new Map<string, MergedEndpoint>()
  for (const slice of slices) {
    const slicePorts = endpointPorts(slice, ports)
    if (Object.keys(slicePorts).length === 0) continue
    for (const endpoint of slice.endpoints ?? []) {
      // Addresses of an endpoint are interchangeable; the first one is to be used.
      const [address] = endpoint.addresses
      if (address === undefined || !isEndpointAddress(address)) continue
      const state = endpointState(endpoint)
      const id = endpointId(merged, address, slicePorts)
      const known = merged.get(id)
      if (!known) {
        merged.set(id, { id, address, ports: { ...slicePorts }, state, endpoint })
        continue
      }
      // Not copied: an endpoint may be in a slice for each of its ports.
      Object.assign(known.ports, slicePorts)
      if (RANKS[state] < RANKS[known.state]) Object.assign(known, { state, endpoint })
    }
  }
  return [...merged.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

type MergedEndpoint = EndpointOfService & { readonly ports: Record<string, number> }

/** Pods in the network of their node share its address, and have ports of their own. */
const endpointId = (
  merged: ReadonlyMap<string, EndpointOfService>,
  address: string,
  ports: Readonly<Record<string, number>>,
): string => {
  const known = merged.get(address)?.ports
  if (!known) return address
  const isOther = Object.entries(ports).some(([port, number]) => (known[port] ?? number) !== number)
  return isOther ? `${address}:${portsText(Object.values(ports).join(','))}` : address
}

/** Proxies name what they have when they connect again: names must not be as long as lists of ports can be. */
const portsText = (text: string): string =>
  text.length <= LONGEST_PORTS ? text : hash('sha256', text).slice(0, LONGEST_PORTS)

const LONGEST_PORTS = 32

/** The ports of a Service by protocol and name, which slices refer to. */
type OfferedPorts = ReadonlyMap<string, readonly OfferedPort[]>

interface OfferedPort {
  /** Position among the ports of the Service. */
  readonly index: number
  /** Such as `80` or `53/udp`. */
  readonly id: string
  /** The port of endpoints whose slice has no number, which means every port. */
  readonly number: number
}

const offeredPorts = (ports: readonly ServicePort[]): OfferedPorts =>
  Map.groupBy(
    ports.flatMap((offered, index) => {
      const { port, targetPort } = offered
      const transport = transportOf(offered)
      if (!transport || !isPort(port)) return []
      const number = isPort(targetPort) ? targetPort : port
      return [{ index, id: servicePort(port, transport), number, name: portName(offered) }]
    }),
    ({ name }) => name,
  )

const portName = ({ name = '', protocol = 'TCP' }: Pick<ServicePort, 'name' | 'protocol'>): string =>
  `${protocol} ${name}`

/** In the order of the Service. Of several ports of a slice with one name, the first counts. */
const endpointPorts = (
  { ports = [] }: EndpointSlice,
  offered: OfferedPorts,
): Readonly<Record<string, number>> => {
  const named = new Map(ports.map((one) => [portName(one), one] as const).reverse())
  const found = [...named].flatMap(([name, { port }]) =>
    (offered.get(name) ?? []).flatMap(({ index, id, number }) =>
      isPort(port ?? number) ? [{ index, id, number: port ?? number }] : [],
    ),
  )
  return Object.fromEntries(found.sort((a, b) => a.index - b.index).map(({ id, number }) => [id, number]))
}

/** Unknown counts as ready; what is ready serves. */
const endpointState = ({ conditions = {} }: Endpoint): EndpointOfService['state'] => {
  const { ready = true, serving = ready, terminating = false } = conditions
  if (ready) return 'ready'
  return serving && terminating ? 'terminating' : 'unready'
}

const RANKS = { ready: 0, terminating: 1, unready: 2 } as const
