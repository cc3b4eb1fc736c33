import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { HTTPRoute } from '../../kinds/http-route.ts'
import { objectKey } from '../../kinds/object.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { httpRoutesByParent } from './route-indexes.ts'
import { routeParents } from './route-parents.ts'

/** A route that is accepted by a listener. */
export interface RouteAttachment {
  readonly listenerKey: string
  readonly kind: string
  /** The key of the route. */
  readonly route: string
}

/** The routes that attach to the listeners of a Gateway, by the key of the Gateway. */
export const routeAttachments: Query<readonly RouteAttachment[]> = defineQuery(
  'routeAttachments',
  (reads, key) =>
    routesOf(reads, key).flatMap((route) => {
      const parents = (reads.tryQuery(routeParents, route) ?? []).filter(({ gateway }) => gateway === key)
      const listeners = new Set(parents.flatMap((parent) => parent.listeners.map((one) => one.key)))
      return [...listeners].map((listenerKey) => ({ listenerKey, kind: 'HTTPRoute', route }))
    }),
)

/** The keys of the routes that name a Gateway or one of its ListenerSets, in their order. */
const routesOf = (reads: GraphReads, gateway: string): readonly string[] => {
  const sets = new Set(reads.query(gatewayListeners, gateway).map(({ listenerSet }) => listenerSet))
  const named: HTTPRoute[] = [...reads.indexed(httpRoutesByParent, `Gateway/${gateway}`)]
  for (const set of sets)
    if (set !== undefined) named.push(...reads.indexed(httpRoutesByParent, `ListenerSet/${set}`))
  return [...new Set(named.map((route) => objectKey(route)))].sort()
}
