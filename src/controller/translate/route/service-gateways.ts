import { defineQuery, type Query } from '../../graph/query.ts'
import { objectKey } from '../../kinds/object.ts'
import { httpRouteRules } from '../rule/http-route-rules.ts'
import { httpRoutesByService } from './route-indexes.ts'
import { routeParents } from './route-parents.ts'

/** The keys of the Gateways whose routes send requests to a Service, by the key of the Service. */
export const gatewaysOfService: Query<readonly string[]> = defineQuery(
  'gatewaysOfService',
  (reads, service) => {
    const gateways = reads.indexed(httpRoutesByService, service).flatMap((route) => {
      const key = objectKey(route)
      const isReached = reads
        .tryQuery(httpRouteRules, key)
        ?.some(({ services }) => services.includes(service))
      return isReached
        ? (reads.tryQuery(routeParents, key) ?? [])
            .filter(({ denial }) => denial === undefined)
            .map(({ gateway }) => gateway)
        : []
    })
    return [...new Set(gateways)].sort()
  },
)
