import { formatIp, parseIp } from '../../../protocols/ip/ip-address.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { Service } from '../../kinds/core.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { deploymentName } from '../deployment/names.ts'

/** An address at which a Gateway can be reached. */
export interface StatusAddress {
  readonly type: 'IPAddress' | 'Hostname'
  readonly value: string
}

/** The addresses of a Gateway, by the Service of its proxies. */
export const assignedAddresses = (reads: GraphReads, gateway: Gateway): readonly StatusAddress[] => {
  const service = proxyService(reads, gateway)
  if (!service) return []
  const addresses = isLoadBalancer(service) ? ingressAddresses(service) : innerAddresses(service, gateway)
  return [...new Map(addresses.map((address) => [addressKey(address), address])).values()].slice(
    0,
    maxAddresses,
  )
}

/** Types of requested addresses that are unknown. */
export const unsupportedAddressTypes = ({ spec }: Gateway): readonly string[] =>
  (spec.addresses ?? []).flatMap(({ type = 'IPAddress' }) => (isSupportedType(type) ? [] : [type]))

/** The requested addresses that a Gateway does not have. */
export const missingAddresses = (
  gateway: Gateway,
  addresses: readonly StatusAddress[],
): readonly StatusAddress[] => {
  const present = new Set(addresses.map(addressKey))
  return requestedAddresses(gateway).filter((address) => !present.has(addressKey(address)))
}

/** The limit of the API. */
const maxAddresses = 16

const isSupportedType = (type: string): type is StatusAddress['type'] =>
  type === 'IPAddress' || type === 'Hostname'

/** Those with a value: without one, any address of the type will do. */
const requestedAddresses = ({ spec }: Gateway): readonly StatusAddress[] =>
  (spec.addresses ?? []).flatMap(({ type = 'IPAddress', value = '' }) =>
    value !== '' && isSupportedType(type) ? [{ type, value }] : [],
  )

/** Equal for all notations of an address. */
const addressKey = ({ type, value }: StatusAddress): string => {
  const bytes = type === 'IPAddress' ? parseIp(value) : undefined
  return `${type} ${bytes ? formatIp(bytes) : value.toLowerCase()}`
}

/** A Service of that name that the Gateway does not control does not count. */
const proxyService = (reads: GraphReads, { metadata }: Gateway): Service | undefined => {
  const service = reads.object('Service', namespacedKey(metadata.namespace, deploymentName(metadata.name)))
  return service?.metadata.ownerReferences?.some(
    ({ kind, uid, controller }) => kind === 'Gateway' && uid === metadata.uid && controller === true,
  )
    ? service
    : undefined
}

const isLoadBalancer = ({ spec }: Service): boolean => spec?.type === 'LoadBalancer'

const ingressAddresses = ({ status }: Service): readonly StatusAddress[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }): StatusAddress[] => [
    ...(hostname === undefined || hostname === '' ? [] : [{ type: 'Hostname' as const, value: hostname }]),
    ...(ip === undefined || ip === '' ? [] : [{ type: 'IPAddress' as const, value: ip }]),
  ])

/** Without a load balancer, requested addresses lead to the Service by means outside of the cluster. */
const innerAddresses = ({ spec }: Service, gateway: Gateway): readonly StatusAddress[] => [
  ...(spec?.clusterIPs ?? [spec?.clusterIP ?? '']).flatMap((value): StatusAddress[] =>
    value === '' || value === 'None' ? [] : [{ type: 'IPAddress', value }],
  ),
  ...requestedAddresses(gateway),
]
