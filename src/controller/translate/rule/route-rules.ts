import { defineQuery, type Query } from '../../graph/query.ts'
import { isRequestRouteKind, parseRouteId } from '../route/route-id.ts'
import type { ConvertedRule } from './converted-rule.ts'
import { layer4RouteRules } from './layer-4-route-rules.ts'
import { requestRouteRules } from './request-route-rules.ts'

/** The rules of a route, by its id. They do not depend on the Gateways that serve them. */
export const routeRules: Query<readonly ConvertedRule[]> = defineQuery('routeRules', (reads, id) => {
  const { kind, key } = parseRouteId(id)
  return isRequestRouteKind(kind) ? requestRouteRules(reads, kind, key) : layer4RouteRules(reads, kind, key)
})

/** What the rules of a route send traffic to, as `Service/namespace/name` or `InferencePool/namespace/name`; by its id. */
export const destinationsOfRoute: Query<ReadonlySet<string>> = defineQuery(
  'destinationsOfRoute',
  (reads, id) =>
    new Set(
      reads
        .query(routeRules, id)
        .flatMap(({ services, pools }) => [
          ...services.map((service) => `Service/${service}`),
          ...pools.map((pool) => `InferencePool/${pool}`),
        ]),
    ),
)
