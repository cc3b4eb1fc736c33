import { defineQuery, type Query } from '../../graph/query.ts'
import { ownGateway } from '../gateway/own-gateway.ts'
import { type ObservedCondition, observedConditions } from '../status/status-condition.ts'
import { listenerSetParent } from './attached-listener-sets.ts'
import { listenerSetConditions } from './listener-set-conditions.ts'
import { listenersOf } from './listeners-of-set.ts'
import { listenerStatuses, type ListenerStatus } from '../listener/listener-statuses.ts'

/** Our part of the status of a ListenerSet. */
export interface ListenerSetStatus {
  readonly conditions: readonly ObservedCondition[]
  /** Empty if the Gateway does not allow the ListenerSet. */
  readonly listeners: readonly ListenerStatus[]
}

/** The status of a ListenerSet; `undefined` unless its Gateway is ours. Key: that of the ListenerSet. */
export const listenerSetStatus: Query<ListenerSetStatus | undefined> = defineQuery(
  'listenerSetStatus',
  (reads, key) => {
    const set = reads.object('ListenerSet', key)
    const parent = set && listenerSetParent(set)
    const gateway = parent === undefined ? undefined : ownGateway(reads, parent)
    if (!set || parent === undefined || !gateway) return undefined
    const { generation } = set.metadata
    const entries = listenersOf(reads, parent, key)
    return {
      conditions: observedConditions(listenerSetConditions(reads, gateway, set), generation),
      listeners: listenerStatuses(reads, parent, entries, generation),
    }
  },
)
