import type { RouteLabels } from '../../model/resources/snapshot.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { perExchange } from '../../pipeline/per-exchange.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { EncodedSlashes } from '../../model/resources/frontend-policies.ts'
import { headRefusals } from '../../protocols/http/head-error.ts'
import { hasEncodedSlash } from '../../protocols/http/slash-readings.ts'
import { notSelected } from './not-selected.ts'
import { slashCheck, type SlashRoutable } from './encoded-slashes.ts'
import type { RouteTable } from './table.ts'

/** A compiled route. */
export interface PipedRoute extends SlashRoutable {
  readonly key: string
  readonly labels: RouteLabels
  readonly pipeline: Operator
  /** The effective policies, for the trace. */
  readonly effective: object
}

/**
 * Passes each exchange to the pipeline of the route that it matches; 404 `route_not_found` if there is none.
 *
 * Belongs after the gateway's own policies, which also apply to requests without a route.
 *
 * @param encodedSlashes The handling of encoded slashes for routes without a setting.
 */
export const route = (table: RouteTable<PipedRoute>, encodedSlashes: EncodedSlashes = 'keep'): Operator => {
  const mayPass = slashCheck(table, encodedSlashes)
  // One list for all requests: traces have thousands of events, and its JSON is made once.
  const evaluatedRoutes = table.routes.map((one) => one.key)
  return perExchange((x) => {
    if (x.reply) return undefined
    const selected = table.select(x.request)
    if (x.probe)
      trace(x, evaluatedRoutes, notSelected(table.routes, selected?.route, x.request), selected?.route)
    if (x.request.encodedSlashes === 'keep') {
      if (hasEncodedSlash(x.request.path) && !mayPass(selected, x.request)) {
        x.reply = encodedSlash()
        return undefined
      }
      // From here on the setting of the route applies: a transformation may set only paths that a client may send.
      if (selected) x.request.encodedSlashes = selected.route.encodedSlashes ?? encodedSlashes
    }
    if (!selected) {
      x.reply = deny(404, 'route_not_found', { message: 'route not found' })
      return undefined
    }
    x.labels = selected.route.labels
    x.match = selected.match
    return selected.route.pipeline
  })
}

const encodedSlash = (): Reply => {
  const { status, refused, message } = headRefusals.target_encoded_slash
  return deny(status, refused, { message: `invalid request: ${message}`, reason: 'InvalidRequest' })
}

const trace = (
  x: Exchange,
  evaluatedRoutes: readonly string[],
  reasons: Readonly<Record<string, string>>,
  selected: PipedRoute | undefined,
): void => {
  x.probe?.snapshot('gateway policies')
  x.probe?.record({
    type: 'routeSelection',
    selectedRoute: selected?.key ?? null,
    evaluatedRoutes,
    notSelected: reasons,
  })
  if (selected)
    x.probe?.record({ type: 'policySelection', phase: 'route', effectivePolicy: selected.effective })
}
