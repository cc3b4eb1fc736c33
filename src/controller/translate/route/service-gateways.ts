import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewaysOfRoute } from '../delegation/route-gateways.ts'
import { gatewaysReaching } from '../policy/gateway-reach.ts'
import { destinationsOfRoute } from '../rule/route-rules.ts'
import { routesOfService } from './route-indexes.ts'

/**
 * The keys of the Gateways whose routes, models or policies send requests to a Service, or to an InferencePool with its
 * picker there, by the key of the Service.
 */
export const gatewaysOfService: Query<readonly string[]> = defineQuery(
  'gatewaysOfService',
  (reads, service) => {
    const gateways = routesOfService(reads, service).flatMap((route) => {
      const isReached = reads.tryQuery(destinationsOfRoute, route)?.has(`Service/${service}`)
      return isReached ? (reads.tryQuery(gatewaysOfRoute, route) ?? []) : []
    })
    return [...new Set([...gateways, ...reads.query(gatewaysReaching, `Service/${service}`)])].sort()
  },
)
