import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { routesOfParent } from './route-indexes.ts'

/** The ids of the routes that name a Gateway or one of its ListenerSets, sorted, by the key of the Gateway. */
export const namingRoutes: Query<readonly string[]> = defineQuery('namingRoutes', (reads, gateway) => {
  const sets = new Set(reads.query(gatewayListeners, gateway).map(({ listenerSet }) => listenerSet))
  const parents = [`Gateway/${gateway}`]
  for (const set of sets) if (set !== undefined) parents.push(`ListenerSet/${set}`)
  return [...new Set(parents.flatMap((parent) => routesOfParent(reads, parent)))].sort()
})
