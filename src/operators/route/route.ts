import type { RouteLabels } from '../../model/snapshot.ts'
import { deny } from '../../model/reply.ts'
import { each } from '../../pipeline/each.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Routable, RouteTable } from './table.ts'

/** A route, compiled: where its requests go on. */
export interface PipedRoute extends Routable {
  readonly key: string
  readonly labels: RouteLabels
  readonly pipeline: Operator
  /** The policies in force, for the trace. */
  readonly effective: unknown
}

/**
 * Hands each exchange to the pipeline of the route it matches; 404 `route_not_found` where none does.
 *
 * Belongs after the gateway's own policies, which hold for requests that match no route as well.
 */
export const route = (table: RouteTable<PipedRoute>): Operator => {
  // One list for all requests: watchers get thousands of events, and its JSON is made once.
  const evaluatedRoutes = table.routes.map((one) => one.key)
  return each((x) => {
    if (x.reply) return undefined
    const selected = table.select(x.request)
    if (x.probe) tell(x, evaluatedRoutes, selected?.route)
    if (!selected) {
      x.reply = deny(404, 'route_not_found', { message: 'route not found' })
      return undefined
    }
    x.labels = selected.route.labels
    x.match = selected.match
    return selected.route.pipeline
  })
}

const tell = (x: Exchange, evaluatedRoutes: readonly string[], selected: PipedRoute | undefined): void => {
  x.probe?.snapshot('gateway policies')
  x.probe?.note({
    type: 'routeSelection',
    selectedRoute: selected?.key ?? null,
    evaluatedRoutes,
  })
  if (selected)
    x.probe?.note({ type: 'policySelection', phase: 'route', effectivePolicy: selected.effective })
}
