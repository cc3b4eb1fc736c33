import type { GatewayListener } from '../../kinds/gateway-api.ts'
import { namespacedKey } from '../../kinds/object.ts'
import type { InternalPorts } from './internal-ports.ts'

/** What has listeners: a Gateway, or a ListenerSet that is attached to it. */
export interface ListenerOwner {
  readonly kind: 'Gateway' | 'ListenerSet'
  readonly namespace: string
  readonly listeners: readonly GatewayListener[]
  readonly internal: InternalPorts
  /** The key of the ListenerSet. */
  readonly listenerSet: string | undefined
}

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
