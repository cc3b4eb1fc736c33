import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewaysOfRoute } from '../delegation/route-gateways.ts'
import { gatewaysReaching } from '../policy/gateway-reach.ts'
import { routesOfService } from '../route/route-indexes.ts'
import { destinationsOfRoute } from '../rule/route-rules.ts'

/** The keys of the Gateways whose routes or models send requests to an InferencePool, by the key of the pool. */
export const gatewaysOfPool: Query<readonly string[]> = defineQuery('gatewaysOfPool', (reads, pool) => {
  // The index has the names of all references, whatever their kind.
  const gateways = routesOfService(reads, pool).flatMap((route) => {
    const isReached = reads.tryQuery(destinationsOfRoute, route)?.has(`InferencePool/${pool}`)
    return isReached ? (reads.tryQuery(gatewaysOfRoute, route) ?? []) : []
  })
  return [...new Set([...gateways, ...reads.query(gatewaysReaching, `InferencePool/${pool}`)])].sort()
})
