import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { namingRoutes } from './naming-routes.ts'
import { routeCandidates } from './route-candidates.ts'
import { parseRouteId, routeAge, routeAtGateway, routeObject } from './route-id.ts'

/**
 * Rules that routes of a namespace may have at a Gateway, each counted for each listener that accepts it. A proxy compiles
 * a rule for each of its listeners, which takes 4 KB: without a limit, a hundred routes of 16 rules at a thousand listeners
 * would fill 6 GB. Counted by namespace, no tenant can use up what another one has.
 */
const MAX_RULES_AT_LISTENERS = 100_000
/** Routes at so many listeners do not count: most have one or two, and cost little more than the objects that they are. */
const FEW_LISTENERS = 16

/** Why a route is not served at a Gateway, because there are too many of its namespace; undefined if there are not. Key: that of `routeAtGateway`. */
export const routeLimit: Query<string | undefined> = defineQuery('routeLimit', (reads, key) => {
  const [gateway = '', route = ''] = key.split(' ')
  return reads.query(routesBeyondLimit, gateway).has(route)
    ? `Routes of namespace ${namespaceOf(route)} at more than ${FEW_LISTENERS} listeners of Gateway ${gateway} have more than ${MAX_RULES_AT_LISTENERS} rules there, each counted for each listener; older routes come first`
    : undefined
})

/** The ids of the routes that no budget of their namespace is left for. Key: that of the Gateway. */
const routesBeyondLimit: Query<ReadonlySet<string>> = defineQuery('routesBeyondLimit', (reads, gateway) => {
  const beyond = new Set<string>()
  if (reads.query(listenerCount, gateway) <= FEW_LISTENERS) return beyond
  const left = new Map<string, number>()
  const byAge = reads
    .query(namingRoutes, gateway)
    .map((route) => ({ route, count: reads.tryQuery(rulesAtListeners, routeAtGateway(gateway, route)) ?? 0 }))
    .filter(({ count }) => count > 0)
    .map((one) => ({ ...one, age: `${reads.query(routeAge, one.route)} ${one.route}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1))
  for (const { route, count } of byAge) {
    const namespace = namespaceOf(route)
    const before = left.get(namespace) ?? MAX_RULES_AT_LISTENERS
    if (count > before) beyond.add(route)
    left.set(namespace, count > before ? 0 : before - count)
  }
  return beyond
})

const listenerCount: Query<number> = defineQuery(
  'listenerCount',
  (reads, gateway) => reads.query(gatewayListeners, gateway).length,
)

/** The rules of a route times the listeners that accept it; 0 for few of these. Key: that of `routeAtGateway`. */
const rulesAtListeners: Query<number> = defineQuery('rulesAtListeners', (reads, key) => {
  const [gateway = '', route = ''] = key.split(' ')
  const listeners = new Set(
    reads
      .query(routeCandidates, route)
      .flatMap((parent) => (parent.gateway === gateway ? parent.listeners.map((one) => one.key) : [])),
  )
  if (listeners.size <= FEW_LISTENERS) return 0
  // One without rules is attached to its listeners as well.
  return listeners.size * Math.max(routeObject(reads, route)?.spec.rules?.length ?? 0, 1)
})

const namespaceOf = (route: string): string => parseRouteId(route).key.split('/')[0] ?? ''
