import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewaysOfRoute } from '../delegation/route-gateways.ts'
import { gatewaysReaching } from '../policy/gateway-reach.ts'
import { poolsOfPicker } from '../inference/known-pool.ts'
import { gatewaysOfPool } from '../inference/pool-gateways.ts'
import { routeRules } from '../rule/route-rules.ts'
import { routesOfService } from './route-indexes.ts'

/**
 * The keys of the Gateways whose routes or policies send requests to a Service, or to an InferencePool with its picker
 * there, by the key of the Service.
 */
export const gatewaysOfService: Query<readonly string[]> = defineQuery(
  'gatewaysOfService',
  (reads, service) => {
    const gateways = routesOfService(reads, service).flatMap((route) => {
      const isReached = reads.tryQuery(routeRules, route)?.some(({ services }) => services.includes(service))
      return isReached ? (reads.tryQuery(gatewaysOfRoute, route) ?? []) : []
    })
    const picking = poolsOfPicker(reads, service).flatMap((pool) => reads.query(gatewaysOfPool, pool))
    return [
      ...new Set([...gateways, ...picking, ...reads.query(gatewaysReaching, `Service/${service}`)]),
    ].sort()
  },
)
