import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { Gateway, ListenerSet } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { attachedListenerSets } from '../listener-set/attached-listener-sets.ts'
import { internalPorts } from './internal-ports.ts'
import type { ListenerOwner } from './listener-owner.ts'

/**
 * A Gateway and the ListenerSets that it allows, in the order of precedence. A ListenerSet that cannot be read is left
 * out: it belongs to somebody else than the Gateway.
 */
export const listenerOwners = (reads: GraphReads, gateway: Gateway): readonly ListenerOwner[] => [
  gatewayOwner(gateway),
  ...attachedListenerSets(reads, gateway).flatMap(
    (set) => reads.tryQuery(listenerSetOwner, objectKey(set)) ?? [],
  ),
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

const listenerSetOwner: Query<ListenerOwner | undefined> = defineQuery('listenerSetOwner', (reads, key) => {
  const set = reads.object('ListenerSet', key)
  return set && ownerOfSet(set)
})

const ownerOfSet = (set: ListenerSet): ListenerOwner => {
  const listeners = [...set.spec.listeners]
  return {
    kind: 'ListenerSet',
    namespace: set.metadata.namespace ?? '',
    listeners,
    internal: internalPorts(set, listeners),
    listenerSet: objectKey(set),
  }
}
