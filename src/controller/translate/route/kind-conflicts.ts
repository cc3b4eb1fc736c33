import { defineQuery, type Query } from '../../graph/query.ts'
import { routeRules } from '../rule/route-rules.ts'
import { ClaimedHostnames } from './claimed-hostnames.ts'
import { namingRoutes } from './naming-routes.ts'
import { routeCandidates } from './route-candidates.ts'
import {
  isRequestRouteKind,
  parseRouteId,
  type RequestRouteKind,
  requestRouteKinds,
  routeAge,
} from './route-id.ts'

/** A route that a listener refuses, because one of another kind has the host name. */
export interface KindConflict {
  /** The id of the route. */
  readonly route: string
  readonly listenerKey: string
  /** The id of that route, which is older. */
  readonly by: string
}

/** Those of each route, by its id: a Gateway may have many, and every route asks for its own. Key: that of the Gateway. */
export const kindConflictsByRoute: Query<ReadonlyMap<string, readonly KindConflict[]>> = defineQuery(
  'kindConflictsByRoute',
  (reads, gateway) => Map.groupBy(reads.query(kindConflicts, gateway), ({ route }) => route),
)

/**
 * At a listener, a host name is that of HTTPRoutes or that of GRPCRoutes: the oldest route decides, then the first by
 * namespace and name. Key: that of the Gateway.
 */
const kindConflicts: Query<readonly KindConflict[]> = defineQuery('kindConflicts', (reads, gateway) => {
  const naming = reads.query(namingRoutes, gateway).flatMap((route) => {
    const { kind, key } = parseRouteId(route)
    return isRequestRouteKind(kind) ? [{ route, kind, key }] : []
  })
  if (naming.every(({ kind }) => kind === naming[0]?.kind)) return []
  const conflicts: KindConflict[] = []
  const claims = new Map<string, ClaimedHostnames>()
  const claimsOf = (listener: string, kind: RequestRouteKind): ClaimedHostnames => {
    const id = `${listener} ${kind}`
    const known = claims.get(id) ?? new ClaimedHostnames()
    claims.set(id, known)
    return known
  }
  const byAge = naming
    .map((one) => ({ ...one, age: `${reads.query(routeAge, one.route)} ${one.key} ${one.kind}` }))
    .sort((a, b) => (a.age < b.age ? -1 : 1))
  for (const { route, kind } of byAge) {
    // A route that cannot be computed takes nothing from others.
    if (reads.hasFailed(routeRules, route)) continue
    for (const parent of reads.tryQuery(routeCandidates, route) ?? []) {
      if (parent.gateway !== gateway) continue
      for (const { key, hostnames } of parent.listeners) {
        const others = requestRouteKinds.filter((one) => one !== kind).map((one) => claimsOf(key, one))
        const by = hostnames.flatMap((name) => others.map((one) => one.ownerOf(name)))
        const [preceding] = by.filter((owner) => owner !== undefined)
        if (preceding === undefined) for (const name of hostnames) claimsOf(key, kind).claim(name, route)
        else conflicts.push({ route, listenerKey: key, by: preceding })
      }
    }
  }
  return conflicts
})
