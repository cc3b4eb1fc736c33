import { isEndpointAddress } from './endpoint-address.ts'
import type { GraphReads } from '../../graph/query.ts'
import { defineIndex } from '../../graph/object-index.ts'
import type { Endpoint, EndpointSlice, ServicePort } from '../../kinds/core.ts'
import { servicePort } from '../../../model/resources/service.ts'
import { isPort, transportOf } from './port-number.ts'

/** An endpoint of a Service, of all slices that have it. */
export interface EndpointOfService {
  /** Unique in its Service: the address, or `address:port` for further endpoints of an address. */
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
  const ofFamily = (family: string): readonly EndpointOfService[] =>
    mergedEndpoints(
      slices.filter(({ addressType }) => addressType === family),
      ports,
    )
  const preferred = ofFamily(preferredFamily)
  return preferred.length > 0 ? preferred : ofFamily(preferredFamily === 'IPv4' ? 'IPv6' : 'IPv4')
}

const slicesByService = defineIndex('EndpointSlice', 'service', ({ metadata }) => {
  const service = metadata.labels?.['kubernetes.io/service-name']
  return service === undefined ? [] : [`${metadata.namespace ?? ''}/${service}`]
})

/** An endpoint may be in several slices: for its ports, and while it moves from one to another. */
const mergedEndpoints = (
  slices: readonly EndpointSlice[],
  ports: readonly ServicePort[],
): readonly EndpointOfService[] => {
  const merged = new Map<string, EndpointOfService>()
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
      const isBetter = !known || RANKS[state] < RANKS[known.state]
      merged.set(id, {
        id,
        address,
        ports: { ...known?.ports, ...slicePorts },
        state: isBetter ? state : known.state,
        endpoint: isBetter ? endpoint : known.endpoint,
      })
    }
  }
  return [...merged.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Pods in the network of their node share its address, and have ports of their own. */
const endpointId = (
  merged: ReadonlyMap<string, EndpointOfService>,
  address: string,
  ports: Readonly<Record<string, number>>,
): string => {
  const known = merged.get(address)?.ports ?? {}
  const isOther = Object.entries(ports).some(([port, number]) => (known[port] ?? number) !== number)
  return isOther ? `${address}:${Object.values(ports).join(',')}` : address
}

const endpointPorts = (
  { ports: slicePorts }: EndpointSlice,
  ports: readonly ServicePort[],
): Record<string, number> =>
  Object.fromEntries(
    ports.flatMap((offered) => {
      const { name = '', port, protocol = 'TCP', targetPort } = offered
      const transport = transportOf(offered)
      if (!transport) return []
      const found = slicePorts?.find(
        (one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol,
      )
      // A slice port without a number means every port.
      const number = found && (found.port ?? (isPort(targetPort) ? targetPort : port))
      return isPort(number) && isPort(port) ? [[servicePort(port, transport), number]] : []
    }),
  )

/** Unknown counts as ready; what is ready serves. */
const endpointState = ({ conditions = {} }: Endpoint): EndpointOfService['state'] => {
  const { ready = true, serving = ready, terminating = false } = conditions
  if (ready) return 'ready'
  return serving && terminating ? 'terminating' : 'unready'
}

const RANKS = { ready: 0, terminating: 1, unready: 2 } as const
