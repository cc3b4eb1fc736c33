import type { GraphReads } from '../../graph/query.ts'
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
  const accepted = reads
    .query(routeAttachments, gateway)
    .filter(({ route }) => reads.tryQuery(isRouteServed, route) === true)
  const attached = Map.groupBy(accepted, ({ listenerKey }) => listenerKey)
  const models = Map.groupBy(reads.query(modelAttachments, `Gateway/${gateway}`), ({ place }) => place)
  return listeners.map(({ key, name, supportedKinds, conditions }) => ({
    name,
    supportedKinds,
    attachedRoutes:
      new Set(attached.get(key)?.map(({ route }) => route)).size + (models.get(key)?.length ?? 0),
    conditions: observedConditions(conditions, generation),
  }))
}
