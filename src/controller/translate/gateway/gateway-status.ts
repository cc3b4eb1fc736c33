import { defineQuery, type Query } from '../../graph/query.ts'
import { acceptedListenerSets } from '../listener-set/listener-set-conditions.ts'
import { listenersOf } from '../listener-set/listeners-of-set.ts'
import { listenerStatuses, type ListenerStatus } from '../listener/listener-statuses.ts'
import { type ObservedCondition, observedConditions } from '../status/status-condition.ts'
import { gatewayAcceptance } from './gateway-acceptance.ts'
import { assignedAddresses, type StatusAddress } from './gateway-addresses.ts'
import { gatewayConditions } from './gateway-conditions.ts'
import { ownGateway } from './own-gateway.ts'

/** Our part of the status of a Gateway. */
export interface GatewayStatus {
  readonly addresses: readonly StatusAddress[]
  readonly attachedListenerSets: number
  readonly conditions: readonly ObservedCondition[]
  readonly listeners: readonly ListenerStatus[]
}

/** The status of a Gateway; `undefined` if it is not ours. Key: that of the Gateway. */
export const gatewayStatus: Query<GatewayStatus | undefined> = defineQuery('gatewayStatus', (reads, key) => {
  const gateway = ownGateway(reads, key)
  const acceptance = reads.query(gatewayAcceptance, key)
  if (!gateway || !acceptance) return undefined
  const { generation } = gateway.metadata
  const addresses = assignedAddresses(reads, gateway)
  const listeners = listenersOf(reads, key)
  return {
    addresses,
    attachedListenerSets: acceptedListenerSets(reads, gateway),
    conditions: observedConditions(gatewayConditions(reads, gateway, acceptance, addresses), generation),
    listeners: listenerStatuses(reads, key, listeners, generation),
  }
})
