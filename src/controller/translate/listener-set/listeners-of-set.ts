import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import type { GatewayListenerState } from '../listener/listener-state.ts'

/** The listeners that a Gateway has of its own, or of a ListenerSet. */
export const listenersOf = (
  reads: GraphReads,
  gateway: string,
  set?: string,
): readonly GatewayListenerState[] => reads.query(listenersBySet, gateway).get(set ?? OWN) ?? []

/** By the key of the ListenerSet: a Gateway may have many of them, and each asks for its own. */
const listenersBySet: Query<ReadonlyMap<string, readonly GatewayListenerState[]>> = defineQuery(
  'listenersBySet',
  (reads, gateway) =>
    Map.groupBy(reads.query(gatewayListeners, gateway), ({ listenerSet }) => listenerSet ?? OWN),
)

const OWN = ''
