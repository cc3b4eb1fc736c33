import type { GraphReads } from '../../graph/query.ts'
import type { Gateway, ListenerSet } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { attachedListenerSets } from './attached-listener-sets.ts'
import { internalPorts } from './internal-ports.ts'
import type { ListenerOwner } from './listener-owner.ts'

/** A Gateway and the ListenerSets that it allows, in the order of precedence. */
export const listenerOwners = (reads: GraphReads, gateway: Gateway): readonly ListenerOwner[] => [
  gatewayOwner(gateway),
  ...attachedListenerSets(reads, gateway).map((set) => listenerSetOwner(set)),
]

const gatewayOwner = (gateway: Gateway): ListenerOwner => {
  const listeners = gateway.spec.listeners ?? []
  return {
    kind: 'Gateway',
    namespace: gateway.metadata.namespace ?? '',
    listeners,
    internal: internalPorts(gateway, listeners),
    listenerSet: undefined,
  }
}

const listenerSetOwner = (set: ListenerSet): ListenerOwner => ({
  kind: 'ListenerSet',
  namespace: set.metadata.namespace ?? '',
  listeners: set.spec.listeners,
  internal: internalPorts(set, set.spec.listeners),
  listenerSet: objectKey(set),
})
