import { defineQuery, type Query } from '../../graph/query.ts'

/** A route that is accepted by a listener. */
export interface RouteAttachment {
  readonly listenerKey: string
  readonly kind: string
  /** The key of the route. */
  readonly route: string
}

/** The routes that attach to the listeners of a Gateway, by the key of the Gateway. */
export const routeAttachments: Query<readonly RouteAttachment[]> = defineQuery('routeAttachments', () => [])
