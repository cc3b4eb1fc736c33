import { defineQuery, type Query } from '../../graph/query.ts'
import { namingRoutes } from './naming-routes.ts'
import { routeParents } from './route-parents.ts'

/** A route that is accepted by a listener. */
export interface RouteAttachment {
  readonly listenerKey: string
  /** The id of the route. */
  readonly route: string
}

/** The routes that attach to the listeners of a Gateway, by the key of the Gateway. */
export const routeAttachments: Query<readonly RouteAttachment[]> = defineQuery(
  'routeAttachments',
  (reads, key) =>
    reads.query(namingRoutes, key).flatMap((route) => {
      const parents = (reads.tryQuery(routeParents, route) ?? []).filter(({ gateway }) => gateway === key)
      const listeners = new Set(parents.flatMap((parent) => parent.listeners.map((one) => one.key)))
      return [...listeners].map((listenerKey) => ({ listenerKey, route }))
    }),
)
