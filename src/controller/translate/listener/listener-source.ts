import type { Gateway, GatewayListener, ListenerSet } from '../../kinds/gateway-api.ts'
import { namespacedKey, objectKey } from '../../kinds/object.ts'
import { internalPorts, type InternalPorts } from './internal-ports.ts'

/** What has listeners: a Gateway, or a ListenerSet that is attached to it. */
export interface ListenerOwner {
  readonly kind: 'Gateway' | 'ListenerSet'
  readonly namespace: string
  readonly listeners: readonly GatewayListener[]
  readonly internal: InternalPorts
  /** The key of the ListenerSet. */
  readonly listenerSet: string | undefined
}

/** A Gateway as the owner of its listeners. */
export const gatewayOwner = (gateway: Gateway): ListenerOwner => {
  const listeners = gateway.spec.listeners ?? []
  return {
    kind: 'Gateway',
    namespace: gateway.metadata.namespace ?? '',
    listeners,
    internal: internalPorts(gateway, listeners),
    listenerSet: undefined,
  }
}

/** A ListenerSet as the owner of its entries. */
export const listenerSetOwner = (set: ListenerSet): ListenerOwner => ({
  kind: 'ListenerSet',
  namespace: set.metadata.namespace ?? '',
  listeners: set.spec.listeners,
  internal: internalPorts(set, set.spec.listeners),
  listenerSet: objectKey(set),
})

/** The key of the resource of a listener. */
export const listenerKey = (gateway: string, { listenerSet }: ListenerOwner, name: string): string =>
  listenerSet === undefined ? namespacedKey(gateway, name) : `${gateway}/${listenerSet}/${name}`

/** The port of a listener; 0 if it has none and its protocol has no default. */
export const listenerPort = ({ port, protocol }: GatewayListener): number =>
  port !== undefined && port !== 0 ? port : (defaultPorts.get(protocol) ?? 0)

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ['HTTP', 80],
  ['HTTPS', 443],
])
