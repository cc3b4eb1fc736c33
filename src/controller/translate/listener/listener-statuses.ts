import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { modelAttachments } from '../model/model-parents.ts'
import { isRouteServed } from '../route/route-status.ts'
import { routeAttachments } from '../route/route-attachments.ts'
import { type ObservedCondition, observedConditions } from '../status/status-condition.ts'
import type { GatewayListenerState, RouteKind } from './listener-state.ts'

/** The status of a listener, in the status of its Gateway or ListenerSet. */
export interface ListenerStatus {
  readonly name: string
  readonly supportedKinds: readonly RouteKind[]
  /** The accepted routes and models: routes without a single rule that can be served do not count. */
  readonly attachedRoutes: number
  readonly conditions: readonly ObservedCondition[]
}

/** The statuses of listeners of a Gateway, for the generation of the object that has them. */
export const listenerStatuses = (
  reads: GraphReads,
  gateway: string,
  listeners: readonly GatewayListenerState[],
  generation: number | undefined,
): readonly ListenerStatus[] => {
  const attached = reads.query(attachedCounts, gateway)
  return listeners.map(({ key, name, supportedKinds, conditions }) => ({
    name,
    supportedKinds,
    attachedRoutes: attached.get(key) ?? 0,
    conditions: observedConditions(conditions, generation),
  }))
}

/** How many routes and models each listener of a Gateway has, by its key: a Gateway may have many ListenerSets that ask. */
const attachedCounts: Query<ReadonlyMap<string, number>> = defineQuery('attachedCounts', (reads, gateway) => {
  const counts = new Map<string, number>()
  const count = (listener: string): unknown => counts.set(listener, (counts.get(listener) ?? 0) + 1)
  for (const { route, listenerKey } of reads.query(routeAttachments, gateway))
    if (reads.tryQuery(isRouteServed, route) === true) count(listenerKey)
  for (const { section } of reads.query(modelAttachments, `Gateway/${gateway}`)) count(section)
  return counts
})
